import Foundation
import Testing

@testable import CurlTransport

@Suite struct ContentDecoderTests {
    private static let text = Data(String(repeating: "The jack is patched. ", count: 40).utf8)
    private static let coded = [
        "gzip": "H4sIAAAAAAACAwvJSFXISkzOVsgsVihILEnOSE3RUwgZFRwVHBUkRRAAcvYrdEgDAAA=",
        "deflate": "eJwLyUhVyEpMzlbILFYoSCxJzkhN0VMIGRUcFRwVJEUQAMFpHJg=",
        "br": "G0cD+I2UqPOrQajI0JRLWQ4iSmlJwjIp5Tn0QrcbAA==",
    ]

    /// Decodes `input` in pieces of `size` bytes, with little room for the output.
    private func decode(_ coding: String, _ input: Data, by size: Int) throws -> (bytes: Data, isComplete: Bool) {
        let decoder = try #require(ContentCodings.system.makeDecoder(for: coding))
        var decoded = Data()
        var room = [UInt8](repeating: 0, count: 7)
        for start in stride(from: 0, to: input.count, by: size) {
            try Array(input.dropFirst(start).prefix(size)).withUnsafeBytes { bytes in
                var rest = bytes
                var isFilled = true
                while !rest.isEmpty || isFilled {
                    let count = try room.withUnsafeMutableBytes { try decoder.decode(&rest, into: $0) }
                    decoded += room[..<count]
                    isFilled = count == room.count
                }
            }
        }
        return (decoded, decoder.isComplete)
    }

    @Test(arguments: coded.keys.sorted(), [1, 2, 5, 1000])
    func `pieces of any size are decoded`(coding: String, size: Int) throws {
        let input = try #require(Data(base64Encoded: Self.coded[coding] ?? ""))
        let result = try decode(coding, input, by: size)
        #expect(result.bytes == Self.text && result.isComplete)
    }

    @Test(arguments: coded.keys.sorted()) func `truncated data is not complete`(coding: String) throws {
        let input = try #require(Data(base64Encoded: Self.coded[coding] ?? ""))
        #expect(try !decode(coding, input.dropLast(3), by: 10).isComplete)
    }

    @Test func `members of gzip are joined, and bytes after them ignored`() throws {
        let member = try #require(Data(base64Encoded: Self.coded["gzip"] ?? ""))
        let result = try decode("x-gzip", member + member + Data([0, 0, 0]), by: 9)
        #expect(result.bytes == Self.text + Self.text && result.isComplete)
        #expect(try !decode("gzip", member + member.dropLast(4), by: 9).isComplete)
    }

    @Test func `deflate without a zlib header is decoded`() throws {
        let zlib = try #require(Data(base64Encoded: Self.coded["deflate"] ?? ""))
        #expect(try decode("deflate", zlib.dropFirst(2).dropLast(4), by: 1).bytes == Self.text)
    }

    @Test func `an empty body is complete`() throws {
        for coding in Self.coded.keys {
            let decoder = try #require(ContentCodings.system.makeDecoder(for: coding))
            #expect(decoder.isComplete)
        }
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd"]) func `invalid data is an error`(coding: String) {
        #expect(throws: InvalidCoding.self) {
            try decode(coding, Data("this is not coded data at all, in any coding".utf8), by: 100)
        }
    }

    @Test(arguments: ["gzip", "deflate"]) func `the error tells what was decoded before`(coding: String) throws {
        var input = try #require(Data(base64Encoded: Self.coded[coding] ?? ""))
        // In the checksum, which gzip's length follows.
        input[input.endIndex - (coding == "gzip" ? 5 : 1)] ^= 1
        let decoder = try #require(ContentCodings.system.makeDecoder(for: coding))
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
        defer { room.deallocate() }
        let error = #expect(throws: InvalidCoding.self) {
            try input.withUnsafeBytes { bytes in
                var rest = bytes
                _ = try decoder.decode(&rest, into: room)
            }
        }
        #expect(error?.decoded == Self.text.count && Data(room.prefix(Self.text.count)) == Self.text)
    }

    @Test func `a frame of zstd with a window over 8 MiB is refused`() throws {
        // The logarithm of the window's size less 10, in the upper 5 bits, then a block of 128 KiB of zeros.
        func frame(_ windowLog: UInt8) -> Data {
            Data([0x28, 0xB5, 0x2F, 0xFD, 0, (windowLog - 10) << 3, 0x02, 0, 0x10, 0, 1, 0, 0])
        }
        #expect(try decode("zstd", frame(23), by: 100).bytes == Data(count: 128 << 10))
        #expect(throws: InvalidCoding.self) { try decode("zstd", frame(24), by: 100) }
    }

    @Test func `unknown codings and too many codings have no decoder`() {
        let codings = ["compress", "gzip, compress", "compress, gzip", "", ",", "gzip, gzip, gzip"]
        for coding in codings { #expect(ContentCodings.system.makeDecoder(for: coding) == nil) }
    }

    private static let chains = [
        "gzip, br": "ixiAH4sIAAAAAAACAwvJSFXISkzOVsgsVihILEnOSE3RUwgZFRwVHBUkRRAAcvYrdEgDAAAD",
        "br,GZIP,": "H4sIAAAAAAACA5N2Z/7RO2XF59WOK05cmOIdyafklel5yEjzqeUXp+3SDADQp7F+HwAAAA==",
        // Two members of gzip: between them the decoder of zstd gets nothing for many bytes.
        "zstd, gzip": "H4sIAAAAAAACA9PYqv+XJeMpA8OKkIxUhazE5GyFTAAnThEmFAAAAB+LCAAAAAAAAgMrVihILEnOSE3RU2BkSEwynZkq"
            + "9TQaANvWpOYVAAAA",
    ]

    @Test(arguments: chains.keys.sorted(), [1, 2, 5, 1000])
    func `several codings are decoded, the last one first`(codings: String, size: Int) throws {
        let input = try #require(Data(base64Encoded: Self.chains[codings] ?? ""))
        let result = try decode(codings, input, by: size)
        #expect(result.bytes == Self.text && result.isComplete)
        #expect(try !decode(codings, input.dropLast(9), by: size).isComplete)
    }

    @Test func `invalid data within a valid coding is an error`() throws {
        let input = try #require(Data(base64Encoded: Self.coded["gzip"] ?? ""))
        #expect(throws: InvalidCoding.self) { try decode("br, gzip", input, by: 10) }
        #expect(throws: InvalidCoding.self) { try decode("gzip, gzip", input, by: 1000) }
    }

    @Test func `coded data that grows by much, for little content, is an error`() throws {
        // A character in gzip, and 64 MiB of zeros after its end, in Brotli.
        let input = try #require(
            Data(
                base64Encoded: "y///PwAEdHB7SUBpYBAWWaiVJwcWgqqJ8X+n93/mB52/Av///wCQAIjDAtC9/+P//x8AEgBxWAC693/8//8D"
                    + "QAIgDgtA9/6P//9/AEgAxGEB6N7/8f//DwAJgDgsAN37P/7//wEgARCHBaB7/8f//z8AJADisAB07/+CAgCA"
                    + "BEAMEcA="))
        #expect(throws: InvalidCoding.self) { try decode("gzip, br", input, by: 1000) }
    }
}

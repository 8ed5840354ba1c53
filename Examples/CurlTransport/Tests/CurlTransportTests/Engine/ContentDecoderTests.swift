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

    @Test func `unknown and several codings have no decoder`() {
        for coding in ["compress", "gzip, br", ""] { #expect(ContentCodings.system.makeDecoder(for: coding) == nil) }
    }
}

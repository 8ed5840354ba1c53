import Foundation
import SystemLibraries
import Testing

@Suite struct InflaterTests {
    private let text = Data("Twelve short words are quite enough to make a text worth packing.".utf8)

    private func code(_ packed: Data, upTo limit: Int = 1 << 20) -> SystemLibraryError.Code? {
        do throws(SystemLibraryError) {
            _ = try Inflater.inflate(packed, upTo: limit)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `reads one byte at a time`() throws {
        let inflater = try Inflater()
        var unpacked = Data()
        for byte in try Deflater.deflate(text) {
            inflater.supply(Data([byte]))
            while let piece = try inflater.read(atMost: 1) { unpacked.append(piece) }
        }
        inflater.finish()
        #expect(try inflater.read(atMost: 1) == nil)
        #expect(unpacked == text)
    }

    @Test func `reads concatenated members`() throws {
        let member = try Deflater.deflate(text)
        #expect(try Inflater.inflate(member + member) == text + text)
    }

    @Test func `ends of streams are within one piece`() throws {
        // A final block without content: each is two bytes, and a piece for each would cost its size.
        let empty = Data([0x03, 0x00])
        let inflater = try Inflater(.raw(windowBits: 15))
        let hello = Data([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
        inflater.supply(hello + Data(repeatElement(empty, count: 1000).joined()) + hello)
        #expect(try inflater.read(atMost: 100) == Data("HelloHello".utf8))
        #expect(try inflater.read(atMost: 100) == nil)
        #expect(inflater.isAtStreamEnd && inflater.isAtBlockEnd)
        inflater.supply(hello.prefix(5))
        while try inflater.read(atMost: 100) != nil {}
        #expect(!inflater.isAtStreamEnd && !inflater.isAtBlockEnd)
    }

    @Test func `every truncation is an error`() throws {
        let packed = try Deflater.deflate(text)
        for count in packed.indices { #expect(code(packed.prefix(count)) == .invalidData, "\(count) bytes") }
    }

    @Test func `corrupt and other data are errors`() throws {
        var packed = try Deflater.deflate(text)
        #expect(code(packed + Data("behind".utf8)) == .invalidData)
        packed[packed.count - 6] ^= 1
        #expect(code(packed) == .invalidData)
        #expect(code(text) == .invalidData)
        #expect(code(try Deflater.deflate(text, as: .zlib)) == .invalidData)
        let zlib = try Deflater.deflate(text, as: .zlib)
        #expect(throws: SystemLibraryError.self) { try Inflater.inflate(zlib + zlib, as: .zlib) }
    }

    @Test func `decompression bomb is read in bounded pieces`() throws {
        let packed = try Deflater.deflate(Data(count: 8 << 20))
        #expect(packed.count < 10_000)
        #expect(code(packed) == .invalidData)
        let inflater = try Inflater()
        inflater.supply(packed)
        #expect(try inflater.read(atMost: 1000)?.count == 1000)
    }

    @Test func `random bytes never trap`() throws {
        var seed: UInt64 = 42
        for _ in 0..<500 {
            let bytes = (0..<40).map { _ in
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: seed >> 56)
            }
            #expect(code(Data([0x1F, 0x8B, 8, 0] + bytes)) != nil)
        }
    }
}

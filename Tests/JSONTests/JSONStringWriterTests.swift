import Foundation
import PatchbayTestKit
import Testing

@testable import JSON

@Suite struct JSONStringWriterTests {
    private func written(_ bytes: [UInt8]) throws -> Data {
        var buffer = try ByteBuffer(capacity: 1)
        try bytes.withUnsafeBytes { try JSONStringWriter.write($0, to: &buffer) }
        return buffer.data()
    }

    @Test func `any bytes round trip through JSON`() throws {
        var generator = SeededGenerator(seed: 11)
        // Plain text mixed with control characters, quotes, and valid and invalid UTF-8 sequences.
        let pieces: [[UInt8]] = [
            Array("plain text".utf8), [0x22], [0x5C], [0x00], [0x1F], [0x20], [0x7F], Array("é".utf8),
            Array("€".utf8), Array("𝄞".utf8), [0xC3], [0xE2, 0x82], [0xF0, 0x9D], [0xFF], [0x80], [0xED, 0xA0, 0x80],
            [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80], Array("12345678".utf8),
        ]
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...6, using: &generator)).flatMap { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &generator)]
            }
            let json = try written(bytes)
            let expected = String(decoding: bytes, as: UTF8.self)
            let read = try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed) as? String
            #expect(read.map { Array($0.utf8) } == Array(expected.utf8))
        }
    }

    @Test func `each ASCII byte round trips at any offset`() throws {
        for byte in UInt8(0)..<0x80 {
            for place in 0..<9 {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 9)
                bytes[place] = byte
                let read = try JSONSerialization.jsonObject(with: try written(bytes), options: .fragmentsAllowed)
                #expect((read as? String).map { Array($0.utf8) } == bytes)
            }
        }
    }
}

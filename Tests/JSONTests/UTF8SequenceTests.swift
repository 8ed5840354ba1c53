import Foundation
import Testing

@testable import JSON

@Suite struct UTF8SequenceTests {
    /// The bytes at the edges of the ranges of Unicode's table 3-7.
    private static let edges: [UInt8] = [
        0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
        0xF0,
        0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]

    @Test func `reading and writing accept the UTF-8 that Swift accepts`() throws {
        for first in UInt8(0x80)...0xFF {
            for second in Self.edges {
                for tail in [[], [0x80], [0xBF, 0x80], [0x41, 0x80], [0x80, 0xC0]] as [[UInt8]] {
                    let bytes = [first, second] + tail
                    let text = String(validating: bytes, as: UTF8.self)
                    let quoted = Data([0x22] + bytes + [0x22])
                    #expect((try? JSONValue(parsing: quoted)) == text.map { .string($0) }, "\(bytes)")
                    var buffer = try ByteBuffer()
                    try bytes.withUnsafeBytes { try JSONStringWriter.write($0, to: &buffer) }
                    #expect((buffer.data() == quoted) == (text != nil), "\(bytes)")
                }
            }
        }
    }
}

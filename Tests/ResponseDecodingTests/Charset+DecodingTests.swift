import Foundation
import Testing

@testable import ResponseDecoding

@Suite struct CharsetDecodingTests {
    @Test(
        arguments: [
            (Charset.utf8, "a\u{E4}\u{1F600}", [0x61, 0xC3, 0xA4, 0xF0, 0x9F, 0x98, 0x80]),
            (.utf16LE, "a\u{E4}\u{1F600}", [0x61, 0, 0xE4, 0, 0x3D, 0xD8, 0x00, 0xDE]),
            (.utf16BE, "a\u{E4}\u{1F600}", [0, 0x61, 0, 0xE4, 0xD8, 0x3D, 0xDE, 0x00]),
            (.windows1252, "a\u{20AC}\u{E4}\u{81}", [0x61, 0x80, 0xE4, 0x81]),
        ] as [(Charset, String, [UInt8])])
    func `bytes are decoded`(charset: Charset, text: String, bytes: [UInt8]) throws {
        for policy in [InvalidBytePolicy.fail, .replace] {
            #expect(try charset.text(of: Data(bytes), invalidBytes: policy) == text)
            // A slice must be read from its start index.
            #expect(try charset.text(of: Data([0x7A] + bytes).dropFirst(), invalidBytes: policy) == text)
            #expect(try charset.text(of: Data(), invalidBytes: policy) == "")
        }
    }

    @Test(
        arguments: [
            (Charset.utf8, 1, [0x61, 0xFF, 0x62], "a\u{FFFD}b"),
            (.utf8, 3, [0x61, 0xC3, 0xA4, 0xE2, 0x82], "a\u{E4}\u{FFFD}"),
            (.utf8, 0, [0xC0, 0x80], "\u{FFFD}\u{FFFD}"),
            (.utf8, 0, [0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            (.utf16LE, 2, [0x61, 0, 0x00, 0xDC, 0x62, 0], "a\u{FFFD}b"),
            (.utf16BE, 2, [0, 0x61, 0x62], "a\u{FFFD}"),
            (.utf16BE, 0, [0xD8, 0x3D], "\u{FFFD}"),
            (.utf16BE, 0, [0xD8, 0x3D, 0xDE], "\u{FFFD}"),
            (.utf16BE, 0, [0x61], "\u{FFFD}"),
            (Charset(.windows1253), 1, [0x61, 0xAA, 0xC1], "a\u{FFFD}\u{391}"),
        ] as [(Charset, Int, [UInt8], String)])
    func `an invalid byte is an error with its offset, or replaced`(
        charset: Charset, offset: Int, bytes: [UInt8], replaced: String
    ) throws {
        let error = #expect(throws: InvalidByte.self) {
            try charset.text(of: Data(bytes), invalidBytes: .fail)
        }
        #expect(error?.offset == offset)
        #expect(try charset.text(of: Data(bytes), invalidBytes: .replace) == replaced)
    }

    @Test func `random bytes can be decoded with replacement`() throws {
        var generator = SystemRandomNumberGenerator()
        let charsets = [Charset.utf8, .utf16LE, .utf16BE] + SingleByteCharset.allCases.map(Charset.init)
        for _ in 0..<200 {
            let bytes = Data((0..<Int.random(in: 0..<40, using: &generator)).map { _ in UInt8.random(in: 0...255) })
            for charset in charsets {
                let lenient = try charset.text(of: bytes, invalidBytes: .replace)
                if let strict = try? charset.text(of: bytes, invalidBytes: .fail) { #expect(strict == lenient) }
            }
        }
    }
}

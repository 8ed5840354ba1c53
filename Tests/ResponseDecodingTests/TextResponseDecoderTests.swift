import Foundation
import HTTPMessages
import ResponseDecoding
import Testing

@Suite struct TextResponseDecoderTests {
    private func text(
        _ bytes: [UInt8], _ charset: String? = nil, _ decoder: TextResponseDecoder = .init()
    ) throws -> String {
        try sample(Data(bytes), type: charset.map { "text/plain; charset=\($0)" }).decoded(as: decoder)
    }

    @Test func `the charset of the content type is used`() throws {
        #expect(try text([0xE4], "iso-8859-1") == "ä")
        #expect(try text([0xC3, 0xA4], "utf-8") == "ä")
        #expect(try text([0xD0], "koi8-r") == "п")
        #expect(try text([0x8F], "ibm866") == "П")
        #expect(try text([0xCF], "\"windows-1251\"") == "П")
        #expect(try text([0x3C, 0x20], "UTF-16LE") == "\u{203C}")
    }

    @Test func `the default charset is used without one`() throws {
        #expect(try text([0xC3, 0xA4]) == "ä")
        #expect(try text([0xE4], nil, .text(default: .windows1252)) == "ä")
        #expect(try text([0xC3, 0xA4], "utf-8", .text(default: .windows1252)) == "ä")
        #expect(try text([]) == "")
    }

    @Test func `a byte order mark takes precedence and is dropped`() throws {
        #expect(try text([0xEF, 0xBB, 0xBF, 0xC3, 0xA4], "iso-8859-1", .text(default: .utf16LE)) == "ä")
        #expect(try text([0xFF, 0xFE, 0xE4, 0x00], "utf-8") == "ä")
        #expect(try text([0xFE, 0xFF, 0x00, 0xE4], "klingon") == "ä")
        #expect(try text([0xEF, 0xBB, 0xBF]).unicodeScalars.isEmpty)
        // Only the first U+FEFF is a byte order mark.
        #expect(try Array(text([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF]).unicodeScalars) == ["\u{FEFF}"])
    }

    @Test func `an invalid byte is an error with charset and offset`() throws {
        let error = #expect(throws: ResponseDecodingError.self) {
            try text([0xEF, 0xBB, 0xBF, 0x61, 0xFF], "iso-8859-1")
        }
        #expect(error?.code == .invalidText)
        #expect(error?.charset == "UTF-8")
        #expect(error?.byteOffset == 4)
        #expect(error?.message.contains("UTF-8") == true && error?.message.contains("offset 4") == true)
    }

    @Test func `an unsupported charset is an error that does not quote its label`() throws {
        let error = #expect(throws: ResponseDecodingError.self) { try text([0x61], "klingon") }
        #expect(error?.code == .unsupportedCharset)
        #expect(error?.charset == "klingon")
        #expect(error.map { "\($0)".contains("klingon") } == false)
    }

    @Test func `every body can be decoded with replacement`() throws {
        let lenient = TextResponseDecoder.text(invalidBytes: .replace)
        #expect(try text([0x61, 0xFF], "utf-8", lenient) == "a\u{FFFD}")
        #expect(try text([0xC3, 0xA4], "klingon", lenient) == "ä")
        #expect(try text([0xE4], "klingon", .text(default: .windows1252, invalidBytes: .replace)) == "ä")
    }
}

import Foundation
import HTTPMessages
import Testing

@testable import ResponseDecoding

@Suite struct JSONTextTests {
    private static let text = #"{"a":"ä€"}"#

    private func bytes(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return bigEndian ? pair : pair.reversed()
        }
    }

    @Test func `UTF-8 is unchanged, without a byte order mark`() throws {
        let utf8 = Data(Self.text.utf8)
        for type in [nil, "application/json", "application/json; charset=UTF-8", "application/json; charset=klingon"] {
            #expect(try sample(utf8, type: type).jsonText() == utf8)
            #expect(try sample(Data([0xEF, 0xBB, 0xBF]) + utf8, type: type).jsonText() == utf8)
        }
    }

    @Test(arguments: [true, false])
    func `UTF-16 is detected by byte order mark, charset or zero bytes`(bigEndian: Bool) throws {
        let utf8 = Data(Self.text.utf8)
        let utf16 = bytes(Self.text, bigEndian: bigEndian)
        let mark: [UInt8] = bigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE]
        #expect(try sample(Data(mark + utf16)).jsonText() == utf8)
        #expect(try sample(Data(mark + utf16), type: "a/b; charset=utf-8").jsonText() == utf8)
        #expect(try sample(Data(utf16)).jsonText() == utf8)
        let charset = "a/b; charset=utf-16" + (bigEndian ? "be" : "le")
        #expect(try sample(Data(utf16), type: charset).jsonText() == utf8)
        #expect(try sample(Data(mark + utf16)).decoded(as: .jsonValue) == (["a": "ä€"] as JSONValue))
        #expect(try sample(Data(mark + utf16)).decoded(as: .json([String: String].self)) == ["a": "ä€"])
    }

    @Test func `a single-byte charset is converted`() throws {
        let body = Data([0x22, 0xE4, 0x80, 0x22])
        #expect(try sample(body, type: "application/json;charset=iso-8859-1").jsonText() == Data(#""ä€""#.utf8))
    }

    @Test(arguments: [[], [0xEF, 0xBB, 0xBF], [0xFF, 0xFE]] as [[UInt8]])
    func `an empty body has its own error`(bytes: [UInt8]) throws {
        let response = try sample(Data(bytes), status: .noContent)
        for decode in [{ _ = try response.jsonText() }, { _ = try response.decoded(as: .json(Item.self)) }] {
            let error = #expect(throws: ResponseDecodingError.self) { try decode() }
            #expect(error?.code == .emptyBody)
            #expect(error?.message.contains("`let item: Item?`, or use the decoder `.optional(_:)`") == true)
            #expect(error?.status == .noContent)
        }
    }

    @Test func `without JSON text the body is as it is`() throws {
        #expect(try sample(Data([0xFE, 0xFF, 0x00, 0x22])).jsonBody == Data("\"".utf8))
        for bytes in [[], [0xFE, 0xFF, 0x00, 0x22, 0xDC, 0x00]] as [[UInt8]] {
            #expect(try sample(Data(bytes)).jsonBody == Data(bytes))
        }
    }

    @Test func `a body in UTF-8 is read so, regardless of its label`() throws {
        let text = #"{"City":"Zürich"}"#
        #expect(try sample(text, type: "application/json; charset=iso-8859-1").jsonBody == Data(text.utf8))
        let latin = Data(text.unicodeScalars.map { UInt8($0.value) })
        let response = try sample(latin, type: "application/json; charset=iso-8859-1")
        #expect(response.jsonBody == Data(text.utf8))
    }

    @Test func `offsets of invalid bytes include the byte order mark`() throws {
        let error = #expect(throws: ResponseDecodingError.self) {
            try sample(Data([0xFE, 0xFF, 0x00, 0x22, 0xDC, 0x00])).jsonText()
        }
        #expect(error?.code == .invalidText)
        #expect(error?.charset == "UTF-16BE")
        #expect(error?.byteOffset == 4)
    }
}

import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import Testing

@Suite struct JSONSequenceParserTests {
    @Test func `each text is a value, wherever the chunks end`() {
        let text =
            "\u{1E}{\"a\":\"\u{E4}\"}\n\u{1E}\u{1E}\n\u{1E}[1,\n {\"b\": \"]\\\"\\n\"}\n]\n\u{1E}7\n\u{1E} null \r\n"
        let expected: [JSONValue] = [["a": "\u{E4}"], [1, ["b": "]\"\n"]], 7, nil]
        let bytes = Data(text.utf8)
        for place in 0...bytes.count {
            #expect(
                JSONSequenceParser(JSONValue.self).outcomes(of: bytes.cut(at: place)) == expected.map { .value($0) })
        }
        #expect(JSONSequenceParser().outcomes(of: bytes.singleBytes) == expected.map { .value($0) })
        #expect(JSONSequenceParser().values(of: "").isEmpty)
    }

    @Test func `a value is returned before the next one starts`() throws {
        var parser = JSONSequenceParser([Int].self)
        parser.push(Data("\u{1E}[1]\n".utf8))
        #expect(try parser.next() == [1])
        #expect(try parser.next() == nil)
    }

    // RFC 7464, section 2.4: a number at the end may be the start of a longer one.
    @Test(arguments: ["12", "true", "null", "[1", "\"a", "{\"a\":", "-"])
    func `a text that is cut off is an error, and the next one is read`(text: String) throws {
        var parser = JSONSequenceParser(JSONValue.self)
        parser.push(Data("\u{1E}0\n\u{1E}\(text)\u{1E}1\n\u{1E}\(text)".utf8))
        #expect(try parser.next() == 0)
        let error = #expect(throws: StreamDecodingError.self) { try parser.next() }
        #expect(error?.code == .incompleteText)
        #expect(error?.part == 2)
        #expect(error?.byteOffset == 4)
        #expect(try parser.next() == 1)
        #expect(try parser.next() == nil)
        parser.finish()
        #expect(throws: StreamDecodingError.self) { try parser.next() }
        #expect(try parser.next() == nil)
    }

    @Test(arguments: ["[1]", "{}", "\"a\""])
    func `arrays, objects and strings need no line feed`(text: String) throws {
        let value = try JSONValue(parsing: Data(text.utf8))
        #expect(JSONSequenceParser().outcomes(of: "\u{1E}\(text)\u{1E}\(text)") == [.value(value), .value(value)])
    }

    @Test func `errors name the text and the offset, and parsing continues`() throws {
        var parser = JSONSequenceParser(Int.self, maximumLength: 5)
        parser.push(Data("x\u{1E}1\n\u{1E}{]\n\u{1E}\"s\"\n\u{1E}123456789\n\u{1E}2\n 3 \u{1E}4\n".utf8))
        parser.finish()
        var found: [String] = []
        while true {
            do {
                guard let value = try parser.next() else { break }
                found.append("\(value)")
            } catch {
                found.append("\(error.code) \(error.part ?? 0) \(error.byteOffset ?? -1)")
            }
        }
        #expect(
            found == [
                "incompleteText 1 0", "1", "invalidJSON 3 5", "unexpectedValue 4 9", "itemTooLarge 5 14", "2",
                "incompleteText 7 28", "4",
            ])
    }

    @Test(arguments: 0..<10)
    func `random chunks give the same values`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<Fuzzing.rounds {
            let parts = ["1", "\n", "\u{1E}", "\u{1E}", "[", "]", "{\"a\":", "}", "\"", "\\", " ", "null", "\u{E4}"]
            let bytes = Data.random(of: parts, using: &generator)
            let whole = JSONSequenceParser(JSONValue.self).outcomes(of: [bytes])
            let pieces = bytes.randomPieces(using: &generator)
            let values = whole.compactMap { if case .value(let value) = $0 { value } else { nil } }
            let cut = JSONSequenceParser(JSONValue.self).outcomes(of: pieces)
            #expect(cut.compactMap { if case .value(let value) = $0 { value } else { nil } } == values)
        }
    }
}

import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import Testing

@Suite struct NDJSONParserTests {
    @Test func `each non-blank line is a value`() {
        let text = "\u{FEFF}{\"a\":\"ä\"}\n\n \t\r\n[1,1.0]\r\nnull\n\"\\n\"\n 7 "
        let expected: [JSONValue] = [["a": "ä"], [1, .number(1)], nil, "\n", 7]
        #expect(NDJSONParser().values(of: text) == expected)
        let bytes = Data(text.utf8)
        for place in 0...bytes.count {
            #expect(NDJSONParser(JSONValue.self).outcomes(of: bytes.cut(at: place)) == expected.map { .value($0) })
        }
        #expect(NDJSONParser(JSONValue.self).values(of: " \n\r\n").isEmpty)
    }

    @Test func `each line is decoded into a type`() {
        let text = #"{"name":"a","price":1}"# + "\n\n" + #"{"price":2.5,"name":"ä"}"#
        #expect(NDJSONParser(Item.self).values(of: text) == [Item(name: "a", price: 1), Item(name: "ä", price: 2.5)])
    }

    @Test func `the decoder's settings are used`() {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        #expect(NDJSONParser([Date].self, decoder: decoder).values(of: "[0]") == [[Date(timeIntervalSince1970: 0)]])
    }

    @Test func `an invalid line is an error with its number, and parsing continues`() {
        let text = "1\n\n[1\n\"x\"\n2"
        let open = Data("[1".utf8)
        #expect(
            NDJSONParser().outcomes(of: text)
                == [.value(1), .error(.invalidJSON, line: 3, prefix: open), .value("x"), .value(2)])
        #expect(
            NDJSONParser(Int.self).outcomes(of: text)
                == [
                    .value(1), .error(.invalidJSON, line: 3, prefix: open),
                    .error(.unexpectedValue, line: 4, prefix: Data("\"x\"".utf8)), .value(2),
                ])
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0xFE, 0xFF, 0x00, 0x37], [0x37, 0x00], [0x00, 0x37], [0xC3], [0x37, 0x00, 0x00, 0x00],
            [0x22, 0xC3, 0x22],
        ] as [[UInt8]])
    func `invalid UTF-8 is rejected as invalid JSON`(bytes: [UInt8]) {
        let outcome = Outcome<JSONValue>.error(.invalidJSON, line: 1, prefix: Data(bytes))
        #expect(NDJSONParser().outcomes(of: [Data(bytes)]) == [outcome])
        #expect(
            NDJSONParser(String.self).outcomes(of: [Data(bytes)])
                == [.error(.invalidJSON, line: 1, prefix: Data(bytes))])
    }

    @Test func `parsing continues after a line that is too long`() {
        let outcomes = NDJSONParser(JSONValue.self, maximumLength: 3).outcomes(of: "123\n1234\n5")
        #expect(outcomes == [.value(123), .error(.lineTooLong, line: 2, prefix: Data("123".utf8)), .value(5)])
    }

    @Test(arguments: 0..<10)
    func `random chunks give the same values`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let parts = ["1", "\n", "\n", "\r\n", "[", "]", "{\"a\":", "}", "\"", " ", "null", "ä"]
            let bytes = Data.random(of: parts, using: &generator)
            let whole = NDJSONParser(JSONValue.self).outcomes(of: [bytes])
            let lines = bytes.split(separator: 0x0A).filter { !$0.allSatisfy { $0 == 0x20 || $0 == 0x0D } }
            #expect(whole.count == lines.count)
            let good = lines.compactMap { try? JSONValue(parsing: Data($0)) }
            #expect(whole.compactMap { if case .value(let value) = $0 { value } else { nil } } == good)
            let pieces = bytes.randomPieces(using: &generator)
            #expect(NDJSONParser(JSONValue.self).outcomes(of: pieces) == whole)
        }
    }
}

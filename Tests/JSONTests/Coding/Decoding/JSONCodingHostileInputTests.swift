import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import JSON

@Suite(.needsSlot) struct JSONCodingHostileInputTests {
    /// A type that contains itself.
    private struct Tree: Codable {
        var children: [Tree] = []

        init() {}
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd { children.append(try container.decode(Tree.self)) }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for child in children { try container.encode(child) }
        }
    }

    private static func nested(_ levels: Int) -> String {
        String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }

    @Test(.enabled(if: Corpora.canUnpack("json-parsing.tar.xz"), "JSONTestSuite, tar or xz is not here"))
    func `JSONTestSuite passes`() async throws {
        let files = try await Corpora.unpack("json-parsing.tar.xz").filter { $0.key.hasSuffix(".json") }
        #expect(files.count > 300)
        // Of the texts that a parser may accept or refuse.
        var accepted: Set<String> = []
        for (name, data) in files {
            let value = try? JSONCoding.standard.decode(Anything.self, from: data)
            if name.hasPrefix("y_") { #expect(value != nil, "\(name)") }
            if name.hasPrefix("n_") { #expect(value == nil, "\(name)") }
            if name.hasPrefix("i_"), value != nil { accepted.insert(name) }
        }
        #expect(
            accepted == [
                "i_number_too_big_neg_int.json", "i_number_too_big_pos_int.json",
                "i_number_very_big_negative_int.json", "i_string_UTF-16LE_with_BOM.json",
                "i_string_utf16BE_no_BOM.json", "i_string_utf16LE_no_BOM.json",
                "i_structure_500_nested_arrays.json", "i_structure_UTF-8_BOM_empty_object.json",
            ])
    }

    @Test func `nesting has a limit, as in Foundation`() {
        for levels in [511, 512, 513] {
            let text = Data(Self.nested(levels).utf8)
            let isAccepted = (try? JSONCoding.standard.decode(Anything.self, from: text)) != nil
            #expect(isAccepted == (levels <= 512))
            #expect(isAccepted == ((try? JSONDecoder().decode(Anything.self, from: text)) != nil))
        }
        for text in [Self.nested(100_000), String(repeating: "{\"a\":[", count: 50_000)] {
            #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Tree.self, from: text) }
            #expect(throws: DecodingError.self) { try JSONCoding.standard.decode([Int].self, from: text) }
        }
        let shallow = JSONCoding { $0.maximumDepth = 3 }
        #expect(throws: Never.self) { try shallow.decode(Tree.self, from: "[[[]]]") }
        #expect(throws: DecodingError.self) { try shallow.decode(Tree.self, from: "[[[[]]]]") }
        #expect(throws: DecodingError.self) { try JSONCoding { $0.maximumDepth = 0 }.decode(Tree.self, from: "[]") }
        #expect(throws: Never.self) { try JSONCoding { $0.maximumDepth = 0 }.decode(Int.self, from: "1") }
    }

    @Test func `a recursive type of 100 levels can be decoded on a small stack`() {
        #expect(
            onSmallThread {
                (try? JSONCoding { $0.maximumDepth = 100 }.decode(Tree.self, from: Self.nested(100))) != nil
            })
    }

    @Test func `long keys, strings and arrays are decoded`() throws {
        let key = String(repeating: "k", count: 1 << 20)
        #expect(try JSONCoding.standard.decode([String: Int].self, from: "{\"\(key)\":1}") == [key: 1])
        let escaped = String(repeating: "\\n", count: 1 << 19)
        #expect(try JSONCoding.standard.decode([String].self, from: "[\"\(escaped)\"]")[0].utf8.count == 1 << 19)
        let array = try JSONCoding.standard.decode(
            [Int].self, from: "[" + String(repeating: "1,", count: 1_000_000) + "1]")
        #expect(array.count == 1_000_001)
        let members = (0..<100_000).map { "\"\($0)\":\($0)" }.joined(separator: ",")
        #expect(try JSONCoding.standard.decode([String: Int].self, from: "{\(members)}").count == 100_000)
        #expect(try JSONCoding.standard.decode([Int: Int].self, from: "{\(members)}")[99_999] == 99_999)
    }

    @Test func `errors below a long name take linear time`() throws {
        let name = String(repeating: "k", count: 1 << 20)
        let list = "[" + String(repeating: "1.5,", count: 50_000) + "\"\"]"
        for coding in [JSONCoding.standard, JSONCoding { $0.keys = .snakeCase }] {
            let value = try coding.decode([String: Anything].self, from: "{\"\(name)\":{\"a\":\(list)}}")
            guard case .object(let members) = value[name], case .array(let elements) = members["a"] else {
                Issue.record("\(value.count)")
                return
            }
            #expect(elements.count == 50_001)
            // The error that leaves has the whole name.
            let error = #expect(throws: DecodingError.self) {
                try coding.decode([String: [Double]].self, from: "{\"\(name)\":\(list)}")
            }
            #expect(error?.context?.codingPath.first?.stringValue == name)
        }
    }

    @Test func `names are converted in the path of an error, unless they are those of a dictionary`() {
        struct Item: Decodable { let theFirstItemOfAll: [String: Int] }
        let text = #"{"the_first_item_of_all":{"the_second_name_of_all":"a"}}"#
        let error = #expect(throws: DecodingError.self) {
            try JSONCoding { $0.keys = .snakeCase }.decode(Item.self, from: text)
        }
        #expect(
            error?.context?.codingPath.map(\.stringValue) == ["theFirstItemOfAll", "the_second_name_of_all"])
    }

    @Test func `a JSON value is nested as deep as one that is parsed`() throws {
        for levels in [100, 101, 512] {
            for inner in ["", "1", "{}"] {
                let rest = inner == "{}" ? levels - 1 : levels
                let text = String(repeating: "[", count: rest) + inner + String(repeating: "]", count: rest)
                let data = Data(text.utf8)
                let parsed = try? JSONValue(parsing: data)
                #expect((parsed != nil) == (levels == 100), "\(levels) \(inner)")
                #expect((try? JSONCoding.standard.decode(JSONValue.self, from: data)) == parsed)
                #expect((try? JSONDecoder().decode(JSONValue.self, from: data)) == parsed)
                if let parsed { #expect(try JSONCoding.standard.encode(parsed) == parsed.data()) }
            }
        }
        let deepest = (1..<100).reduce([] as JSONValue) { value, _ in [value] }
        #expect(throws: Never.self) { try JSONEncoder().encode(deepest) }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([deepest] as JSONValue) }
        let path = #expect(throws: DecodingError.self) {
            try JSONCoding.standard.decode([String: JSONValue].self, from: "{\"a\":\(Self.nested(101))}")
        }
        #expect(path?.context?.codingPath.count == 101)
    }

    @Test func `long numbers are a value or an error`() throws {
        let digits = String(repeating: "9", count: 10_000)
        #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Int.self, from: digits) }
        #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Double.self, from: digits) }
        #expect(try JSONCoding.standard.decode(Double.self, from: digits + "e-10000") == 1)
        #expect(try JSONCoding.standard.decode(Double.self, from: "0." + digits) == 1)
        #expect(
            try JSONCoding.standard.decode(Int.self, from: "1" + String(repeating: "0", count: 10_000) + "e-10000") == 1
        )
        #expect(try JSONCoding.standard.decode(Double.self, from: "0e" + digits) == 0)
        #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Double.self, from: "1e" + digits) }
        #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Double.self, from: "1e-" + digits) }
        #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Int.self, from: "1e" + digits) }
    }

    @Test(
        arguments: [
            [0x80], [0xC3], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF0, 0x9F], [0xFF],
            [0xF4, 0x90, 0x80, 0x80],
        ] as [[UInt8]])
    func `invalid UTF-8 is an error in values, keys and unread members`(bytes: [UInt8]) {
        let quoted = [UInt8](ascii: "\"") + bytes + [UInt8](ascii: "\"")
        for (before, after) in [("[", "]"), ("{", ":1}"), ("{\"a\":", "}")] {
            let text = Data([UInt8](ascii: before) + quoted + [UInt8](ascii: after))
            #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Anything.self, from: text) }
            #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Point?.self, from: text) }
        }
    }

    @Test func `other encodings are detected as in Foundation`() throws {
        let text = #"["ä😀",1]"#
        let encodings: [String.Encoding] = [
            .utf8, .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian, .utf32LittleEndian,
        ]
        for encoding in encodings {
            let data = try #require(text.data(using: encoding))
            #expect(try JSONCoding.standard.decode(Anything.self, from: data) == .array([.string("ä😀"), .number(1)]))
            // Foundation takes the mark of UTF-32 in little endian for that of UTF-16.
            if encoding != .utf32 {
                #expect(Outcomes(Anything.self, data).foundation == Outcomes(Anything.self, data).ours, "\(encoding)")
            }
            // Cut in the middle of a unit.
            #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Anything.self, from: data.dropLast()) }
        }
        for mark in [
            [0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE], [0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF], [0], [0, 0],
        ] as [[UInt8]] {
            #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Anything.self, from: Data(mark)) }
        }
        #expect(try JSONCoding.standard.decode(Int.self, from: Data("\u{FEFF}1".utf8)) == 1)
        #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Int.self, from: "\u{FEFF}\u{FEFF}1") }
        // UTF-16 with a lone surrogate.
        #expect(throws: DecodingError.self) {
            try JSONCoding.standard.decode(Anything.self, from: Data([0xFF, 0xFE, 0x22, 0, 0, 0xD8, 0x22, 0]))
        }
    }

    @Test func `a slice of data is decoded from its start`() throws {
        #expect(try JSONCoding.standard.decode([Int].self, from: Data("xx[1,2]".utf8).dropFirst(2)) == [1, 2])
        #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Int.self, from: Data()) }
        #expect(throws: DecodingError.self) { try JSONCoding.standard.decode(Int.self, from: "  \n") }
    }
}

extension [UInt8] {
    fileprivate init(ascii text: String) { self.init(text.utf8) }
}

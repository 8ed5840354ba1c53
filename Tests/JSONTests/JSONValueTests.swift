import Foundation
import TestSupport
import Testing

@testable import JSON

@Suite(.needsSlot) struct JSONValueTests {
    private let value: JSONValue = ["id": 7, "half": 0.5, "tags": ["a", "b"], "ok": true, "none": nil]

    @Test func `members and elements are accessed by subscripts`() {
        #expect(value["id"]?.integer == 7)
        #expect(value["id"]?.double == 7)
        #expect(value["half"]?.double == 0.5)
        #expect(value["half"]?.integer == nil)
        #expect(value["tags"]?[1]?.string == "b")
        #expect(value["tags"]?.array?.count == 2)
        #expect(value["ok"]?.bool == true)
        #expect(value["none"]?.isNull == true)
        #expect(value.object?.count == 5)
    }

    @Test func `missing members and elements are nil`() {
        #expect(value["x"] == nil)
        #expect(value["tags"]?[2] == nil)
        #expect(value["tags"]?[-1] == nil)
        #expect(value["tags"]?["a"] == nil)
        #expect(value[0] == nil)
        #expect(value["id"]?.string == nil && value["id"]?.bool == nil && value["id"]?.array == nil)
        #expect(value.string == nil && value["ok"]?.object == nil && value["ok"]?.double == nil)
    }

    @Test func `integers and other numbers are distinct`() {
        #expect(JSONValue.integer(1) != .number(1))
        let twice: JSONValue = ["a": 1, "a": 2]
        #expect(twice == ["a": 2])
    }

    @Test func `texts, numbers and Booleans in variables stand in a literal`() {
        let (text, part, count, byte, ratio, flag) = ("a", Substring("b"), 7, UInt8(8), 0.5, true)
        let value: JSONValue = [
            "text": JSONValue(text), "part": JSONValue(part), "count": JSONValue(count), "byte": JSONValue(byte),
            "large": JSONValue(UInt64.max), "ratio": JSONValue(ratio), "flag": JSONValue(flag), "literal": 1,
        ]
        #expect(
            value == [
                "text": "a", "part": "b", "count": 7, "byte": 8, "large": .number(0x1p64),
                "ratio": 0.5, "flag": true, "literal": 1,
            ])
    }

    @Test func `texts, numbers and Booleans in an array are mapped by the name of the type`() {
        #expect([0.5, 0.25].map(JSONValue.init) == [.number(0.5), .number(0.25)])
        #expect([7, 8].map(JSONValue.init) == [.integer(7), .integer(8)])
        #expect(["a", "[]"].map(JSONValue.init) == [.string("a"), .string("[]")])
        #expect([true, false].map(JSONValue.init) == [.bool(true), .bool(false)])
        let (texts, parts, ratios) = (["a"], ["ab".dropFirst()], ["a": 0.5])
        #expect(texts.map(JSONValue.init) + parts.map(JSONValue.init) == [.string("a"), .string("b")])
        #expect(ratios.mapValues(JSONValue.init) == ["a": .number(0.5)])
    }

    @Test func `values round-trip through Foundation's coders`() throws {
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
        #expect(try JSONValue(parsing: data) == value)
        for simple in [nil, true, 1, 1.5, "a", [], [:], [[nil]]] as [JSONValue] {
            #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(simple)) == simple)
        }
    }

    @Test func `Foundation's coders enforce the depth limit on a small stack`() {
        let limit = JSONScanner.maximumDepth
        @Sendable func text(_ levels: Int) -> Data {
            Data((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
        }
        @Sendable func nested(_ levels: Int) -> JSONValue { (1..<levels).reduce([]) { value, _ in [value] } }
        let holds = onSmallThread {
            (try? JSONDecoder().decode(JSONValue.self, from: text(limit))) == nested(limit)
                && (try? JSONEncoder().encode(nested(limit))) == text(limit)
                && (try? JSONDecoder().decode(JSONValue.self, from: text(500))) == nil
                && (try? JSONEncoder().encode(nested(500))) == nil
        }
        #expect(holds)
    }
}

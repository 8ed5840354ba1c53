import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@Suite struct StructuredFieldTests {
    @Test func `reads a list`() throws {
        let list = try StructuredList(parsing: "gzip;q=1, (br \"z\\\"s\";a);q=0.5 ,\t ?0")
        #expect(list.members.count == 3)
        #expect(list.members[0].item?.value == .token("gzip"))
        #expect(list.members[0].item?.parameters["q"]?.integer == 1)
        #expect(list.members[1].innerList?.items.map(\.value) == [.token("br"), .string("z\"s")])
        #expect(list.members[1].innerList?.items[1].parameters["a"]?.bool == true)
        #expect(list.members[1].innerList?.parameters["q"] == .decimal(0.5))
        #expect(list.members[1].value == nil && list.members[2].value?.bool == false)
        #expect(try list.text() == "gzip;q=1, (br \"z\\\"s\";a);q=0.5, ?0")
        #expect(try StructuredList(parsing: " ").members.isEmpty)
    }

    @Test func `reads a dictionary`() throws {
        let priority = try StructuredDictionary(parsing: "u=1, i, u=2;x, a=(1 2)")
        #expect(priority.map(\.key) == ["u", "i", "a"])
        #expect(priority["u"]?.value?.integer == 2 && priority["u"]?.item?.parameters["x"] == .bool(true))
        #expect(priority["i"]?.value?.bool == true && priority["b"] == nil)
        #expect(try priority.text() == "u=2;x, i, a=(1 2)")
        var changed: StructuredDictionary = ["b": .value(.bool(false)), "a": .value(.integer(1))]
        changed["b"] = nil
        changed["c"] = .value(.displayString("ü%"))
        #expect(try changed.text() == "a=1, c=%\"%c3%bc%25\"")
        #expect(try StructuredDictionary().text() == "")
    }

    @Test func `reads items`() throws {
        let date = try StructuredItem(parsing: "@1659578233; a=:aGVsbG8=:").value
        #expect(date == .date(Date(timeIntervalSince1970: 1_659_578_233)))
        #expect(try StructuredItem(parsing: "  %\"f%c3%bc\"  ").value.text == "fü")
        #expect(try StructuredItem(.bytes(Data("hello".utf8))).text() == ":aGVsbG8=:")
        #expect(try StructuredItem(.date(Date(timeIntervalSince1970: -1.5))).text() == "@-2")
    }

    @Test(arguments: [
        ("", 0, "a value"), ("a b", 2, "the end"), ("\"a", 2, "a closing quote"),
        ("\"\\a\"", 2, "a quote or a backslash"),
        ("1234567890123456", 0, "an integer of at most 15 digits"), ("1.", 0, "one to three decimals"),
        ("-a", 1, "a digit"),
        ("?2", 1, "0 or 1"), (":a", 1, "base 64"), ("@1.5", 1, "an integer after"), ("1;A", 2, "a key"),
        ("ä", 0, "a value"),
        ("%\"%C3\"", 3, "two hexadecimal digits"), ("%\"%ff\"", 2, "UTF-8"),
        ("\"ä\"", 1, "a printable ASCII character"),
    ])
    func `errors have an offset`(text: String, offset: Int, expected: String) {
        let error = #expect(throws: HTTPMessageError.self) { try StructuredItem(parsing: text) }
        #expect(error?.code == .invalidStructuredField)
        let start = "Malformed structured field at offset \(offset): expected \(expected)"
        #expect(error?.message.hasPrefix(start) == true, "\(error?.message ?? "")")
    }

    @Test(
        arguments: [
            .string("ä"), .string("a\n"), .token(""), .token("1"), .token("a b"), .integer(.min),
            .integer(1_000_000_000_000_000),
            .decimal(.nan), .decimal(1_000_000_000_000), .decimal(-999_999_999_999.9996),
            .decimal(.greatestFiniteMagnitude),
        ] as [StructuredValue])
    func `values that cannot be written are errors`(value: StructuredValue) {
        let error = #expect(throws: HTTPMessageError.self) { try StructuredItem(value).text() }
        #expect(error?.code == .invalidStructuredField)
        #expect(throws: HTTPMessageError.self) {
            try StructuredItem(.bool(true), parameters: ["A": .bool(true)]).text()
        }
    }

    // Not by arguments: Foundation cannot describe such a date.
    @Test func `dates that cannot be written are errors`() {
        for seconds in [Double.nan, .infinity, -.infinity, 1e15, -1e300] {
            let item = StructuredItem(.date(Date(timeIntervalSince1970: seconds)))
            let error = #expect(throws: HTTPMessageError.self) { _ = try item.text() }
            #expect(error?.message == "Cannot write a structured field with a date of more than 15 digits.")
        }
    }

    @Test func `a large dictionary takes linear time`() throws {
        let text = (0..<50_000).map { "k\($0)=\($0)" }.joined(separator: ",")
        let dictionary = try StructuredDictionary(parsing: text)
        #expect(dictionary.count == 50_000 && dictionary["k49999"]?.value?.integer == 49_999)
    }

    @Test func `arbitrary text does not trap`() throws {
        let pieces = [
            "a", "*", "1", "-", ".", "\"", "\\", ":", "=", ";", ",", " ", "\t", "(", ")", "?", "@", "%", "%c3%bc", "A",
            "ä", "\0",
            "999999999999999",
        ]
        for seed in 0..<20_000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let text = (0..<10).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            if let item = try? StructuredItem(parsing: text) {
                #expect(try StructuredItem(parsing: item.text()) == item, "seed \(seed)")
            }
            if let list = try? StructuredList(parsing: text) {
                #expect(try StructuredList(parsing: list.text()) == list, "seed \(seed)")
            }
            if let dictionary = try? StructuredDictionary(parsing: text) {
                #expect(try StructuredDictionary(parsing: dictionary.text()) == dictionary, "seed \(seed)")
            }
        }
    }
}

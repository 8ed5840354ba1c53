import HTTPMessages
import PatchbayTestKit
import Testing

@Suite struct RangeFieldTests {
    @Test(
        arguments: [
            ("bytes=0-499", [.closed(0...499)]), ("bytes=9500-", [.from(9500)]), ("bytes=-500", [.last(500)]),
            ("bytes=0-0, -1", [.closed(0...0), .last(1)]), ("Bytes= 0-1 ,, 5-", [.closed(0...1), .from(5)]),
            ("bytes=-0", [.last(0)]),
        ] as [(String, [RangeField.Part])])
    func parses(text: String, parts: [RangeField.Part]) throws {
        let field = try #require(RangeField(parsing: text))
        #expect(field.parts == parts)
        #expect(RangeField(parsing: field.description) == field)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=,", "bytes=5", "bytes=5-4", "bytes=-", "bytes=a-b", "bytes=1-2-3", "items=0-1",
        "bytes 0-1",
        "bytes=+1-2", "bytes=0-99999999999999999999", "bytes=9223372036854775807-", "bytes=--5", "bytes=1 - 2",
        "bytes=\u{301}0-1",
    ])
    func `rejects other texts`(text: String) { #expect(RangeField(parsing: text) == nil) }

    @Test func `writes parts`() {
        #expect(RangeField.bytes(1000...).description == "bytes=1000-")
        #expect(RangeField.bytes(0...999).description == "bytes=0-999")
        #expect(RangeField.last(500).description == "bytes=-500")
        #expect(RangeField.bytes((-5)...).description == "bytes=0-")
        #expect(RangeField.bytes(-5...(-1)).description == "bytes=0-0")
        #expect(RangeField.last(.min).description == "bytes=-0")
    }

    @Test(
        arguments: [
            (.from(0), 10, 0..<10), (.from(9), 10, 9..<10), (.from(10), 10, nil), (.closed(2...4), 10, 2..<5),
            (.closed(2...100), 10, 2..<10), (.closed(10...11), 10, nil), (.last(3), 10, 7..<10),
            (.last(100), 10, 0..<10),
            (.last(0), 10, nil), (.from(0), 0, nil), (.last(1), 0, nil), (.last(.min), 10, nil), (.from(.min), 10, nil),
            (.closed(.min ... .max), .max, nil), (.last(.max), .max, 0..<Int64.max), (.from(0), -1, nil),
            (.from(0), .min, nil),
        ] as [(RangeField.Part, Int64, Range<Int64>?)])
    func `offsets in a file`(part: RangeField.Part, length: Int64, range: Range<Int64>?) {
        #expect(part.range(inLength: length) == range)
    }

    @Test func `arbitrary text does not trap`() {
        let pieces = ["bytes=", "0", "-", "9223372036854775806", "99", ",", " ", "ä", "=", "*", "/"]
        for seed in 0..<5000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let text = (0..<8).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            for text in [text, "bytes=" + text] {
                for part in RangeField(parsing: text)?.parts ?? [] { _ = part.range(inLength: 100) }
            }
            _ = ContentRange(parsing: "bytes " + text)
        }
    }
}

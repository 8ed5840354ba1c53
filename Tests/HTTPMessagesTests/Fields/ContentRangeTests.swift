import HTTPMessages
import Testing

@Suite struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-0/1", 0..<1, 1), ("bytes 5-9/10", 5..<10, 10), ("bytes 5-9/*", 5..<10, nil),
            ("bytes */10", nil, 10),
            (
                "bytes 0-9223372036854775805/9223372036854775806", 0..<9_223_372_036_854_775_806,
                9_223_372_036_854_775_806
            ),
        ] as [(String, Range<Int64>?, Int64?)])
    func `parses byte ranges`(text: String, range: Range<Int64>?, length: Int64?) throws {
        let content = try #require(ContentRange(parsing: text))
        #expect(content.range == range && content.length == length)
        #expect(content.description == text)
        #expect(ContentRange(parsing: text.replacing("bytes", with: "BYTES")) == content)
    }

    @Test(arguments: [
        "bytes 5-9/9", "bytes 9-5/10", "bytes */*", "bytes 5-/10", "bytes -5/10", "bytes 5-9", "bytes=5-9/10",
        "bytes  5-9/10", "items 5-9/10", "bytes +5-9/10", "bytes 5-9/10/11", "", "bytes", "bytes 5-9/", "bytes /10",
        "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*", "bytes 5-9/99999999999999999999",
    ])
    func `rejects other texts`(text: String) { #expect(ContentRange(parsing: text) == nil) }
}

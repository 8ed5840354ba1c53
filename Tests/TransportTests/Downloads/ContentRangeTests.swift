import HTTPMessages
import Testing

@testable import Transport

@Suite struct ContentRangeTests {
    @Test(arguments: [
        ("bytes 0-0/1", "0 0 1"), ("bytes 5-9/10", "5 9 10"), ("BYTES 5-9/*", "5 9 *"), ("bytes 5-9/9", "nil"),
        ("bytes 9-5/10", "nil"), ("bytes */10", "nil"), ("bytes 5-/10", "nil"), ("bytes -5/10", "nil"),
        ("bytes 5-9", "nil"), ("bytes=5-9/10", "nil"), ("bytes  5-9/10", "nil"), ("items 5-9/10", "nil"),
        ("bytes +5-9/10", "nil"), ("bytes 5-9/10/11", "nil"), ("", "nil"), ("bytes", "nil"),
        ("bytes 0-9223372036854775807/*", "nil"), ("bytes 0-99999999999999999999/*", "nil"),
    ])
    func `parses byte ranges`(text: String, expected: String) {
        let range = ContentRange(text)
        #expect(range.map { "\($0.first) \($0.last) \($0.total.map(String.init) ?? "*")" } ?? "nil" == expected)
    }

    @Test(arguments: [
        (["\"1\""], "\"1\""), (["\"\""], "\"\""), (["\"a b\""], nil), (["W/\"1\""], nil), (["1"], nil),
        (["\""], nil), (["\"a\"b\""], nil), (["\"1\"", "\"1\""], nil), ([], nil), (["\"ä\""], "\"ä\""),
    ])
    func `accepts only strong entity tags`(values: [String], expected: String?) throws {
        let fields = try HTTPFields(values.map { ("ETag", $0) })
        #expect(HTTPResponseHead(status: .ok, fields: fields, url: echoURL).strongEntityTag == expected)
    }
}

import HTTPMessages
import Testing

@testable import Transport

@Suite struct HTTPResponseHeadEntityTagTests {
    @Test(arguments: [
        (["\"1\""], "\"1\""), (["\"\""], "\"\""), (["\"a b\""], nil), (["W/\"1\""], nil), (["1"], nil),
        (["\""], nil), (["\"a\"b\""], nil), (["\"1\"", "\"1\""], nil), ([], nil), (["\"ä\""], "\"ä\""),
    ])
    func `accepts only strong entity tags`(values: [String], expected: String?) throws {
        let fields = try HTTPFields(values.map { ("ETag", $0) })
        #expect(HTTPResponseHead(status: .ok, fields: fields, url: echoURL).strongEntityTag == expected)
    }
}

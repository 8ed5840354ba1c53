import HTTPMessages
import Testing

@testable import ResponseDecoding

@Suite struct HTTPResponseHeadCharsetTests {
    @Test(arguments: [
        (nil, nil), ("text/plain", nil), ("text/plain; charset=utf-8", "utf-8"),
        ("text/plain;CHARSET=\"Latin1\"", "Latin1"),
        ("text/plain; format=flowed", nil), ("text/plain; a=b; charset=x; charset=y", "x"), ("; charset=x", nil),
        ("text/plain; charset=", nil), ("charset=x", nil), ("application/json;charset=UTF-8", "utf-8"),
        ("application/json; charset=utf-8", "utf-8"),
    ])
    func `the charset parameter is found`(type: String?, label: String?) throws {
        #expect(try sample("", type: type).head.charsetLabel == label)
    }
}

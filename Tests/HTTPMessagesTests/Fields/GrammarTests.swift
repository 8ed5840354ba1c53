import HTTPMessages
import Testing

@Suite struct GrammarTests {
    @Test func `token characters match RFC 9110`() {
        let tokens = (0...255).map(UInt8.init).filter(\.isHTTPTokenByte).map { Character(Unicode.Scalar($0)) }
        let expected = "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~"
        #expect(String(tokens) == expected)
    }

    @Test(arguments: [("", false), ("a", true), ("a b", false), ("ä", false), ("a\u{0}", false), ("X-1", true)])
    func `a token is not empty`(text: String, isToken: Bool) {
        #expect(text.isHTTPToken == isToken)
    }

    @Test func `a field value has no control characters`() {
        for byte in UInt8(0)...255 {
            let text = "a" + String(Unicode.Scalar(byte)) + "b"
            #expect(text.isHTTPFieldValue == (byte == 9 || (byte >= 0x20 && byte != 0x7F)), "\(byte)")
        }
        #expect("".isHTTPFieldValue)
    }

    @Test(arguments: [
        ("", ""), (" ", ""), ("\t \t", ""), ("a", "a"), (" a", "a"), ("a\t", "a"), ("  a b\t ", "a b"),
        ("\u{A0}a", "\u{A0}a"), (" é ", "é"),
    ])
    func `whitespace around a value is trimmed`(text: String, trimmed: String) {
        #expect(text.trimmingHTTPWhitespace == trimmed)
    }
}

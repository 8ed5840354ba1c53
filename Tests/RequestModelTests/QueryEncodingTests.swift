import RequestModel
import Testing

@Suite struct QueryEncodingTests {
    private func encoded(_ text: String, _ encoding: QueryEncoding) -> String {
        Query([Query.Item(text, nil)]).text(as: encoding)
    }

    @Test(arguments: [
        ("a b", "a%20b", "a+b"), ("+", "%2B", "%2B"), ("&=%", "%26%3D%25", "%26%3D%25"), ("Ж", "%D0%96", "%D0%96"),
        ("🎈", "%F0%9F%8E%88", "%F0%9F%8E%88"), ("-._", "-._", "-._"), ("~", "~", "%7E"), ("*", "%2A", "*"),
        ("!'(),;:@/?[]", "%21%27%28%29%2C%3B%3A%40%2F%3F%5B%5D", "%21%27%28%29%2C%3B%3A%40%2F%3F%5B%5D"),
        ("\r\n\0\u{7F}", "%0D%0A%00%7F", "%0D%0A%00%7F"),
    ])
    func writes(text: String, percent: String, form: String) {
        #expect(encoded(text, .percent) == percent)
        #expect(encoded(text, .form) == form)
    }

    @Test func `keeps only unreserved characters`() {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        for byte in UInt8(0)..<128 {
            let text = String(UnicodeScalar(byte))
            #expect((encoded(text, .percent) == text) == unreserved.contains(byte), "\(byte)")
        }
    }
}

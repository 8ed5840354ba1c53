import Foundation
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

    /// `url/urlencoded-parser.any.js` of web-platform-tests.
    @Test(
        arguments: [
            ("test", [("test", "")]), ("\u{FEFF}test=\u{FEFF}", [("\u{FEFF}test", "\u{FEFF}")]),
            ("%EF%BB%BFtest=%EF%BB%BF", [("\u{FEFF}test", "\u{FEFF}")]),
            ("%EF%BF%BF=%EF%BF%BF", [("\u{FFFF}", "\u{FFFF}")]),
            ("%FE%FF", [("\u{FFFD}\u{FFFD}", "")]), ("%FF%FE", [("\u{FFFD}\u{FFFD}", "")]),
            ("†&†=x", [("†", ""), ("†", "x")]), ("%C2", [("\u{FFFD}", "")]), ("%C2x", [("\u{FFFD}x", "")]),
            ("_charset_=windows-1252&test=%C2x", [("_charset_", "windows-1252"), ("test", "\u{FFFD}x")]),
            ("", []), ("a", [("a", "")]), ("a=b", [("a", "b")]), ("a=", [("a", "")]), ("=b", [("", "b")]), ("&", []),
            ("&a", [("a", "")]), ("a&", [("a", "")]), ("a&a", [("a", ""), ("a", "")]),
            ("a&b&c", [("a", ""), ("b", ""), ("c", "")]), ("a=b&c=d", [("a", "b"), ("c", "d")]),
            ("a=b&c=d&", [("a", "b"), ("c", "d")]), ("&&&a=b&&&&c=d&", [("a", "b"), ("c", "d")]),
            ("a=a&a=b&a=c", [("a", "a"), ("a", "b"), ("a", "c")]), ("a==a", [("a", "=a")]),
            ("a=a+b+c+d", [("a", "a b c d")]),
            ("%=a", [("%", "a")]), ("%a=a", [("%a", "a")]), ("%a_=a", [("%a_", "a")]), ("%61=a", [("a", "a")]),
            ("%61+%4d%4D=", [("a MM", "")]), ("id=0&value=%", [("id", "0"), ("value", "%")]),
            ("b=%2sf%2a", [("b", "%2sf*")]),
            ("b=%2%2af%2a", [("b", "%2*f*")]), ("b=%%2a", [("b", "%*")]),
        ] as [(String, [(String, String)])])
    func `parses forms as browsers do`(text: String, pairs: [(String, String)]) {
        let query = Query(parsing: text, as: .form)
        #expect(query.map(\.name) == pairs.map(\.0) && query.map { $0.value ?? "" } == pairs.map(\.1))
        #expect(Form(parsing: Data(text.utf8)).items == query)
    }
}

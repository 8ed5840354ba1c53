import Foundation
import HTTPMessages
import Testing
import Transport

@Suite struct CookieTests {
    @Test func `has the defaults of a set cookie without attributes`() throws {
        let cookie = try Cookie("a", "1", domain: ".H.de")
        #expect(cookie.domain == "h.de" && cookie.path == "/" && cookie.isHostOnly)
        #expect(!cookie.isSecure && !cookie.isHTTPOnly && cookie.sameSite == nil && cookie.expires == nil)
        #expect(try !Cookie("a", "1", domain: "h.de", isHostOnly: false).isHostOnly)
        #expect(try Cookie("a", "1", domain: "localhost", isHostOnly: false).isHostOnly)
    }

    @Test(arguments: [
        ("a;b", "1", "h", "/"), ("a=b", "1", "h", "/"), ("a\n", "1", "h", "/"), (" a", "1", "h", "/"),
        ("", "", "h", "/"),
        ("a", "1;", "h", "/"), ("a", "1\r\nX: y", "h", "/"), ("a", "\0", "h", "/"), ("a", "1 ", "h", "/"),
        ("a", "1", "", "/"), ("a", "1", ".", "/"), ("a", "1", "h i", "/"), ("a", "1", "ä", "/"),
        ("a", "1", "http://h", "/"),
        ("a", "1", "h", ""), ("a", "1", "h", "x"), ("a", "1", "h", "/;"), ("a", "1", "h", "/\n"),
        ("__Secure-a", "1", "h", "/"),
        ("__Host-a", "1", "h", "/"),
    ])
    func `rejects invalid cookies`(name: String, value: String, domain: String, path: String) {
        let error = #expect(throws: HTTPMessageError.self) { try Cookie(name, value, domain: domain, path: path) }
        #expect(error?.code == .invalidFieldValue)
    }

    @Test func `descriptions do not contain the value`() throws {
        let cookies = [
            try Cookie("a", "sesame", domain: "h.de", path: "/x", isHostOnly: false),
            try Cookie("", "sesame", domain: "h"),
        ]
        #expect(cookies.map(\.description) == ["a=<redacted> for .h.de/x", "(no name)=<redacted> for h/"])
        var dumped = ""
        dump(cookies, to: &dumped)
        for text in ["\(cookies)", String(reflecting: cookies), dumped] { #expect(!text.contains("sesame")) }
    }

    @Test func `round trips through codable`() throws {
        let cookies = [
            try Cookie("a", "1", domain: "h.de"),
            try Cookie(
                "__Host-ä", "x=, \"y\"", domain: "h.de", isSecure: true, isHTTPOnly: true, sameSite: .lax,
                expires: Date(timeIntervalSince1970: 1.5)),
            try Cookie("", "x", domain: "h.de", path: "/x", isHostOnly: false),
        ]
        #expect(try JSONDecoder().decode([Cookie].self, from: JSONEncoder().encode(cookies)) == cookies)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `refuses an expiration date that no file can hold`(seconds: Double) throws {
        let error = #expect(throws: HTTPMessageError.self) {
            try Cookie("a", "1", domain: "h", expires: Date(timeIntervalSinceReferenceDate: seconds))
        }
        #expect(error?.code == .invalidFieldValue)
    }

    @Test(arguments: [("\"value\":\"1\"", "\"value\":\"1;2\""), ("\"domain\":\"h\"", "\"domain\":\"h i\"")])
    func `validates decoded cookies`(old: String, new: String) throws {
        let text = String(decoding: try JSONEncoder().encode(Cookie("a", "1", domain: "h")), as: UTF8.self)
        try #require(text.contains(old))
        let changed = Data(text.replacing(old, with: new).utf8)
        #expect(throws: HTTPMessageError.self) { try JSONDecoder().decode(Cookie.self, from: changed) }
    }
}

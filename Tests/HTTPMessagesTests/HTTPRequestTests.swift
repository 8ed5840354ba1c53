import Foundation
import HTTPMessages
import Testing

@Suite struct HTTPRequestTests {
    private func code(_ method: HTTPMethod, _ url: String, _ body: HTTPBody = .empty) -> HTTPMessageError.Code? {
        do throws(HTTPMessageError) {
            _ = try HTTPRequest(method, url, body: body)
            return nil
        } catch { return error.code }
    }

    @Test(
        "percent-encodes what a URL cannot hold, once",
        arguments: [
            ("http://h/%20ä?q=ü%20", "http://h/%20%C3%A4?q=%C3%BC%20"),
            ("http://h/a%zz%41", "http://h/a%25zz%41"), ("http://h/my file?q=a b", "http://h/my%20file?q=a%20b"),
            ("http://h/a%20b c", "http://h/a%20b%20c"),
            ("http://h/a[1]?b[]={c}", "http://h/a%5B1%5D?b%5B%5D=%7Bc%7D"),
            ("http://h/%41%2F", "http://h/%41%2F"),
        ])
    func encodesOnce(text: String, expected: String) throws {
        #expect(try HTTPRequest.url(of: text).absoluteString == expected)
    }

    @Test(arguments: [
        "http://h", "https://h/", "HTTP://H/p", "https://h:1/", "https://h:65535/p?q#f", "https://h:/p",
        "http://[::1]:80",
        "http://127.0.0.1/", "http://h?q=1", "https://bücher.example/ä?ö=ü", "http://h/%2F", "http://h/a;b=c",
        "http://h//",
        "http://h/?a=http://x:99999999999999999999/", "http://h/p:99999999999999999999",
    ])
    func `a URL that can be requested`(url: String) {
        #expect(code(.get, url) == nil)
    }

    @Test(
        arguments: [
            ("", .invalidURL), (" ", .invalidURL), ("http://h o/", .invalidURL), (" http://h/", .invalidURL),
            ("http://h\r\nX: y", .invalidURL), ("http://h/a\tb", .invalidURL),
            ("http://h/\u{0}", .invalidURL), ("http://h/\u{7F}", .invalidURL), ("http://", .invalidURL),
            ("http:///p", .invalidURL), ("http://:80/", .invalidURL), ("http:h", .invalidURL),
            ("http://[::1/", .invalidURL),
            ("http://h:0/", .invalidURL), ("http://h:65536", .invalidURL), ("http://h:-1/", .invalidURL),
            ("http://h:99999999999999999999", .invalidURL), ("http://h:99999999999999999999?q", .invalidURL),
            ("http://h:8a/", .invalidURL), ("http://a%20b/", .invalidURL), ("http://%00/", .invalidURL),
            ("http://a%0D%0Ab/", .invalidURL), ("//h/p", .invalidURL), ("/p", .invalidURL), ("h", .invalidURL),
            ("ftp://h/", .unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
            ("mailto:a@b", .unsupportedScheme),
            ("ws://h", .unsupportedScheme), ("http://u@h/", .userInfoInURL), ("http://u:p@h/", .userInfoInURL),
            ("http://:@h/", .userInfoInURL), ("http://@h/", .userInfoInURL), ("http://:p@h/", .userInfoInURL),
        ] as [(String, HTTPMessageError.Code)])
    func `a URL that cannot`(url: String, expected: HTTPMessageError.Code) {
        #expect(code(.get, url) == expected)
    }

    @Test func `the error does not show the URL`() {
        for url in ["http://u:sesame@h/", "http://h:0/?token=sesame", "http://h /sesame", "http:///sesame"] {
            let error = #expect(throws: HTTPMessageError.self) { try HTTPRequest(.get, url) }
            #expect(error.map { everyText(of: $0).contains("sesame") } == false)
        }
    }

    @Test(arguments: [HTTPMethod.get, .head, .trace])
    func `a method without a body takes none`(method: HTTPMethod) {
        #expect(code(method, "http://h") == nil)
        #expect(code(method, "http://h", .text("a")) == .bodyNotAllowed)
        #expect(code(method, "http://h", .bytes(Data())) == .bodyNotAllowed)
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete, .options])
    func `the others take one or none`(method: HTTPMethod) {
        #expect(code(method, "http://h") == nil)
        #expect(code(method, "http://h", .text("a")) == nil)
    }

    @Test func `a relative URL is resolved once`() throws {
        let url = try #require(URL(string: "b", relativeTo: URL(string: "http://h/a/")))
        let request = try HTTPRequest(.get, url)
        #expect(request.url.absoluteString == "http://h/a/b")
        #expect(request.url.baseURL == nil)
    }

    @Test func `characters that no URL holds are encoded`() throws {
        #expect(try HTTPRequest.url(of: "http://h/ä?ö").absoluteString == "http://h/%C3%A4?%C3%B6")
    }

    @Test func `no text of it shows a secret`() throws {
        let request = try HTTPRequest(
            .post, "https://h/p?token=sesame&a=1#sesame", fields: HTTPFields(["Authorization": "sesame"]),
            body: .text("sesame"))
        #expect("\(request)" == "POST https://h/p?token=<redacted>&a=1")
        #expect(!everyText(of: request).contains("sesame"))
    }
}

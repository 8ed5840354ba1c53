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

    @Test func `a URL without a scheme is an error that says so`() {
        let error = #expect(throws: HTTPMessageError.self) { try URL(httpString: "127.0.0.1:8471/v1") }
        #expect(error?.message.contains("without a scheme") == true)
    }

    @Test(arguments: [
        ("http://h/%20ä?q=ü%20", "http://h/%20%C3%A4?q=%C3%BC%20"),
        ("http://h/a%zz%41", "http://h/a%25zz%41"), ("http://h/my file?q=a b", "http://h/my%20file?q=a%20b"),
        ("http://h/a%20b c", "http://h/a%20b%20c"),
        ("http://h/a[1]?b[]={c}", "http://h/a%5B1%5D?b%5B%5D=%7Bc%7D"),
        ("http://h/%41%2F", "http://h/%41%2F"),
    ])
    func `percent-encodes invalid characters once`(text: String, expected: String) throws {
        #expect(try URL(httpString: text).absoluteString == expected)
    }

    @Test(arguments: [
        "http://h", "https://h/", "HTTP://H/p", "https://h:1/", "https://h:65535/p?q#f", "https://h:/p",
        "http://[::1]:80",
        "http://127.0.0.1/", "http://h?q=1", "https://bücher.example/ä?ö=ü", "http://h/%2F", "http://h/a;b=c",
        "http://h//",
        "http://h/?a=http://x:99999999999999999999/", "http://h/p:99999999999999999999",
    ])
    func `valid URLs are accepted`(url: String) {
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
    func `invalid URLs are rejected`(url: String, expected: HTTPMessageError.Code) {
        #expect(code(.get, url) == expected)
    }

    @Test(arguments: [
        ("localhost:8080", "localhost; write http:// or https:// before a host and its port."),
        ("localhost:8080/v1", "localhost; write http:// or https:// before a host and its port."),
        ("ftp://h/", "ftp; use http or https."), ("mailto:a@b", "mailto; use http or https."),
    ])
    func `the error of a scheme knows a host with a port`(url: String, text: String) {
        let error = #expect(throws: HTTPMessageError.self) { try HTTPRequest(.get, url) }
        #expect(error?.message == "Unsupported URL scheme " + text)
    }

    @Test func `the error does not quote the URL`() {
        for url in ["http://u:sesame@h/", "http://h:0/?token=sesame", "http://h /sesame", "http:///sesame"] {
            let error = #expect(throws: HTTPMessageError.self) { try HTTPRequest(.get, url) }
            #expect(error.map { everyText(of: $0).contains("sesame") } == false)
        }
    }

    @Test(arguments: [HTTPMethod.get, .head, .trace])
    func `methods that forbid a body reject one`(method: HTTPMethod) {
        #expect(code(method, "http://h") == nil)
        #expect(code(method, "http://h", .text("a")) == .bodyNotAllowed)
        #expect(code(method, "http://h", .bytes(Data())) == .bodyNotAllowed)
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete, .options])
    func `other methods accept a body or none`(method: HTTPMethod) {
        #expect(code(method, "http://h") == nil)
        #expect(code(method, "http://h", .text("a")) == nil)
    }

    @Test func `a relative URL is resolved against its base`() throws {
        let url = try #require(URL(string: "b", relativeTo: URL(string: "http://h/a/")))
        let request = try HTTPRequest(.get, url)
        #expect(request.url.absoluteString == "http://h/a/b")
        #expect(request.url.baseURL == nil)
    }

    @Test(arguments: [
        ("HTTP://Host/A", "http://host/A"), ("http://h", "http://h/"), ("http://h?Q=1", "http://h/?Q=1"),
        ("https://h:443/", "https://h/"), ("http://h:080/", "http://h/"), ("http://h:443/", "http://h:443/"),
        ("https://h:08443/", "https://h:8443/"), ("http://h:/p", "http://h/p"),
        ("http://[FE80::1]:80/", "http://[fe80::1]/"),
        ("http://h/a/./b/../c", "http://h/a/c"), ("http://h/../a", "http://h/a"), ("http://h/a/..", "http://h/"),
        ("http://h/.well-known/x.json", "http://h/.well-known/x.json"),
        // Unchanged: to servers these are other resources, or other text to sign.
        ("http://h/%7e%2f%2E%2e/", "http://h/%7e%2f%2E%2e/"), ("http://h//a///b", "http://h//a///b"),
        ("http://h/?a=/../b&C=%c3", "http://h/?a=/../b&C=%c3"),
    ])
    func `URLs are normalized`(text: String, expected: String) throws {
        #expect(try HTTPRequest(.get, text).url.absoluteString == expected)
        var request = try HTTPRequest(.get, "http://other/")
        try request.setURL(text)
        #expect(request.url.absoluteString == expected)
        #expect(try request.origin == HTTPRequest(.get, text).origin)
    }

    @Test func `changes of URL, method and body are validated`() throws {
        var request = try HTTPRequest(.post, "http://h/a", fields: HTTPFields(["X-A": "1"]), body: .text("a"))
        try request.setURL("https://g/b")
        #expect(request.origin == Origin(request.url) && request.origin.isSecure)
        #expect(throws: HTTPMessageError.self) { try request.setURL("ftp://g/") }
        #expect(throws: HTTPMessageError.self) { try request.setMethod(.get) }
        #expect("\(request)" == "POST https://g/b" && request.body.length == 1)
        try request.setMethod(.get, body: .empty)
        #expect(throws: HTTPMessageError.self) { try request.setBody(.text("b")) }
        #expect(request.method == .get && request.body.isEmpty)
        try request.setMethod(.put)
        try request.setBody(.text("bc"))
        #expect(request.body.length == 2 && request.fields["X-A"] == "1")
    }

    @Test func `invalid characters are percent-encoded`() throws {
        #expect(try URL(httpString: "http://h/ä?ö").absoluteString == "http://h/%C3%A4?%C3%B6")
    }

    @Test func `descriptions show no secrets`() throws {
        let request = try HTTPRequest(
            .post, "https://h/p?token=sesame&a=1#sesame", fields: HTTPFields(["Authorization": "sesame"]),
            body: .text("sesame"))
        #expect("\(request)" == "POST https://h/p?token=<redacted>&a=1")
        #expect(!everyText(of: request).contains("sesame"))
    }
}

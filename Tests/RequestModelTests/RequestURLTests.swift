import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import Testing

@Suite struct RequestURLTests {
    @Test(arguments: [
        ("http://h/x", "http://h/x?a=1"), ("http://h", "http://h?a=1"), ("http://h/x?", "http://h/x?a=1"),
        ("http://h/x?b", "http://h/x?b&a=1"), ("http://h/x?b=2&", "http://h/x?b=2&a=1"),
        ("http://h/x#f", "http://h/x?a=1"), ("http://h/x?b=?#f?g", "http://h/x?b=?&a=1"),
        ("http://h?", "http://h?a=1"), ("http://h/&", "http://h/&?a=1"),
    ])
    func `adds a query`(text: String, target: String) throws {
        #expect(try RequestURL(text).adding(["a": "1"]).text == target)
    }

    @Test func `empty query adds nothing`() throws {
        #expect(try RequestURL("http://h/x").adding(Query()).text == "http://h/x")
        #expect(try RequestURL("http://h/x?").adding(["": .flag]).text == "http://h/x?")
        #expect(try RequestURL("http://h/x").adding(["a": "1"]).adding(["b": .flag]).text == "http://h/x?a=1&b")
    }

    @Test(arguments: [
        ("http://h/ä", "http://h/%C3%A4"), ("http://h/%20ä", "http://h/%20%C3%A4"),
        ("http://h/a b?c d=e f", "http://h/a%20b?c%20d=e%20f"),
        ("http://h/100%", "http://h/100%25"),
        ("http://h/%c3%a4%", "http://h/%c3%a4%25"), ("http://h/a?x[]=1|2", "http://h/a?x%5B%5D=1%7C2"),
        ("http://h/\\\"<>^`{}", "http://h/%5C%22%3C%3E%5E%60%7B%7D"), ("http://h/🎈", "http://h/%F0%9F%8E%88"),
        ("http://h/:@!$&'()*+,;=-._~/?:@/?", "http://h/:@!$&'()*+,;=-._~/?:@/?"),
        ("http://[::1]:8080/[", "http://[::1]:8080/%5B"),
    ])
    func `encodes invalid characters once`(text: String, target: String) throws {
        let url = try RequestURL(text)
        #expect(url.text == target)
        #expect(try RequestURL(target) == url)
        #expect(try RequestData.empty.request(.get, url).url.absoluteString == target)
    }

    @Test(arguments: [
        "http://h", "HTTP://H:080/", "https://[::1]:8443/a/../b/", "http://h/c%2e/d", "http://h//", "http://h/a//",
        "http://bücher.example", "http://h%61.example/x",
    ])
    func `a path below a base URL becomes the same request as the whole URL`(base: String) throws {
        let base = try BaseURL(base)
        for path in [
            "", "/", "x", "//x", "?a=b", "#f", "x#f", "ä ö?ü", "./x", "../x", "a/../b", "a/..", "a/./b", ".hidden",
            "a..b",
            "%2e%2e/x", "x?y=/../z", "a;b=../c", "x%", "y:z",
            "a\\b", "/\\h/x", "x@y", "/@h", "/:80", ":80/x", "..;/x", "a/.;b/..;c", "a/%2E%2E;x/b",
        ] {
            let url = try base.appending(path)
            let request = try RequestData(query: ["q": "1"]).request(.get, url)
            let whole = try HTTPRequest(.get, url.adding(["q": "1"]).text)
            #expect(request.url.absoluteString == whole.url.absoluteString, "\(path)")
            #expect(request.origin == whole.origin, "\(path)")
            #expect(try RequestURL(url.text) == url, "\(path)")
        }
    }

    @Test(arguments: ["http://h/a\r\nX: y", "http://h/?a\t", "http://h/\0", "http://h/\u{7F}"])
    func `rejects control characters`(text: String) {
        let error = #expect(throws: HTTPMessageError.self) { try RequestURL(text) }
        #expect(error?.code == .invalidURL)
    }

    @Test func `descriptions show no secrets`() throws {
        let url = try RequestURL("http://ann:hunter1@h/x?token=hunter2&b=1")
        var dumped = ""
        dump(url, to: &dumped)
        for text in [url.description, dumped, String(reflecting: url)] { #expect(!text.contains("hunter")) }
        #expect(url.description == "http://h/x?token=<redacted>&b=1")
    }

    @Test func `random input becomes a request or an error`() {
        for seed in 0..<2000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let text = "http://h/" + generator.text() + "?" + generator.text()
            guard let url = try? RequestURL(text) else { continue }
            let sent = try? RequestData(query: generator.query()).request(.get, url).url.absoluteString
            #expect(sent?.hasPrefix(url.text) == true, "seed \(seed)")
        }
    }
}

import Foundation
import Testing

@testable import Transport

@Suite struct CookieMatchingTests {
    @Test(arguments: [
        ("h.de", "h.de", true), ("h.de", "www.h.de", true), ("h.de", "a.b.h.de", true), ("h.de", "xh.de", false),
        ("h.de", "de", false), ("www.h.de", "h.de", false), ("h.de", "h.de.", false), ("de", "h.de", false),
        ("de", "de", true), ("0.1", "127.0.0.1", false), ("127.0.0.1", "127.0.0.1", true), ("1", "127.0.0.1", false),
        ("", "h.de", false), (".h.de", "www.h.de", false),
    ])
    func domains(domain: String, host: String, matches: Bool) { #expect(domain.domainMatches(host: host) == matches) }

    @Test(arguments: [
        ("/", "/", true), ("/", "/a", true), ("/a", "/a", true), ("/a", "/a/", true), ("/a", "/a/b", true),
        ("/a/", "/a/b", true), ("/a", "/ab", false), ("/a/", "/a", false), ("/a/b", "/a", false), ("/a", "/A", false),
        ("/a", "/a%2Fb", false), ("/ä", "/%C3%A4", false),
    ])
    func paths(path: String, request: String, matches: Bool) { #expect(path.pathMatches(request: request) == matches) }

    @Test(arguments: [
        ("http://h", "/", "/"), ("http://h/", "/", "/"), ("http://h?a/b", "/", "/"), ("http://h/a", "/a", "/"),
        ("http://h/a/", "/a/", "/a"), ("http://h/a/b?c/d#e/f", "/a/b", "/a"), ("http://h//a", "//a", "/"),
        ("http://h/a//", "/a//", "/a/"), ("http://h/%2Fa/b", "/%2Fa/b", "/%2Fa"),
    ])
    func `default paths`(url: String, path: String, defaultPath: String) throws {
        let url = try #require(URL(string: url))
        #expect(url.cookiePath == path && url.defaultCookiePath == defaultPath)
    }

    @Test func `domains of a host`() {
        #expect("a.b.h.de".cookieDomains == ["a.b.h.de", "b.h.de", "h.de"])
        #expect("localhost".cookieDomains == ["localhost"])
        #expect("127.0.0.1".cookieDomains == ["127.0.0.1"])
        #expect("h.de.".cookieDomains == ["h.de."])
        #expect(String(repeating: "a.", count: 40_000).cookieDomains.count == 1)
    }
}

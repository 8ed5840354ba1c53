import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Transport

@Suite struct SetCookieTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func cookie(_ text: String, from url: String = "https://www.h.de/a/b/c") throws -> Cookie? {
        try SetCookie(text[...], now: now)?.cookie(from: URL(httpString: url), suffixes: .conservative)
    }

    @Test(arguments: [
        ("a=1", "a", "1"), (" a = 1 ", "a", "1"), ("a=", "a", ""), ("a", "", "a"), ("=a", "", "a"),
        ("a=b=c", "a", "b=c"),
        ("a=\"x y\"", "a", "\"x y\""), ("a=1;", "a", "1"), ("a=1;;;Secure", "a", "1"), ("a b=c, d", "a b", "c, d"),
        ("ä=ü", "ä", "ü"), ("__host=1", "__host", "1"),
    ])
    func `reads name and value`(text: String, name: String, value: String) throws {
        let cookie = try #require(try cookie(text))
        #expect(cookie.name == name && cookie.value == value)
        #expect(cookie.isHostOnly && cookie.domain == "www.h.de" && cookie.path == "/a/b")
        #expect(!cookie.isHTTPOnly && cookie.sameSite == nil && cookie.expires == nil)
    }

    @Test(arguments: ["", ";", "=", " = ; Path=/", "; a=1", "a=\u{1}", "a\0=1"])
    func `ignores invalid cookies`(text: String) throws { #expect(try cookie(text) == nil) }

    @Test func `ignores large cookies`() throws {
        let value = String(repeating: "x", count: 4095)
        #expect(try cookie("a=\(value)") != nil)
        #expect(try cookie("ab=\(value)") == nil)
        #expect(SetCookie("abc=12345", now: now, limits: CookieJar.Limits(bytesPerCookie: 7)) == nil)
    }

    @Test func `reads attributes in any case`() throws {
        let cookie = try #require(
            try cookie("a=1; SECURE; httponly=yes; samesite=STRICT; path = /x ; DOMAIN=H.DE; unknown=1"))
        #expect(cookie.isSecure && cookie.isHTTPOnly && cookie.sameSite == .strict)
        #expect(cookie.path == "/x" && cookie.domain == "h.de" && !cookie.isHostOnly)
    }

    @Test func `the last of each attribute applies`() throws {
        let cookie = try #require(
            try cookie("a=1; Path=/x; Path=/y; Domain=de; Domain=h.de; SameSite=Lax; SameSite=huh"))
        #expect(cookie.path == "/y" && cookie.domain == "h.de" && cookie.sameSite == nil)
        #expect(try self.cookie("a=1; Path=/x; Path=y")?.path == "/a/b")
        #expect(try self.cookie("a=1; Domain=h.de; Domain=")?.isHostOnly == true)
        let long = String(repeating: "x", count: 1025)
        #expect(try self.cookie("a=1; Path=/x; Path=/\(long)")?.path == "/x")
    }

    // MARK: Expiration

    private static let lifetimes: [(String, TimeInterval)] = [
        ("Max-Age=60", 60), ("max-age=060", 60), ("Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 60),
        ("Expires=Thu, 01 Jan 2099 00:00:00 GMT; Max-Age=60", 60), ("Max-Age=5; Max-Age=7", 7),
        ("Max-Age=7; Max-Age=x", 7), ("Expires=Mon, 12 Jan 1970 13:46:50 GMT", 10),
        ("Expires=Mon, 12 Jan 1970 13:46:50 GMT; Expires=never", 10),
        ("Max-Age=99999999999999999999999", 400 * 86_400), ("Expires=Fri, 31 Dec 9999 23:59:59 GMT", 400 * 86_400),
        ("Max-Age=34560001", 400 * 86_400),
    ]

    @Test(arguments: lifetimes)
    func `expires after seconds`(attributes: String, seconds: TimeInterval) throws {
        #expect(try cookie("a=1; " + attributes)?.expires == now + seconds)
    }

    @Test(arguments: [
        "Max-Age=0", "Max-Age=-1", "Max-Age=-99999999999999999999", "Expires=Thu, 01 Jan 1970 00:00:00 GMT",
    ])
    func `is expired`(attributes: String) throws {
        let cookie = try cookie("a=1; " + attributes)
        #expect(cookie?.isExpired(at: now) == true)
    }

    @Test(arguments: [
        "Max-Age=", "Max-Age=-", "Max-Age=+1", "Max-Age=1.5", "Max-Age=\"1\"", "Expires=tomorrow", "Expires",
    ])
    func `is a session cookie`(attributes: String) throws {
        let cookie = try #require(try cookie("a=1; " + attributes))
        #expect(cookie.expires == nil)
    }

    // MARK: Domain

    @Test(arguments: [
        ("www.h.de", "www.h.de", false), (".h.de", "h.de", false), ("H.DE", "h.de", false), ("", "www.h.de", true),
        (".", "www.h.de", true),
    ])
    func `accepts its domain`(domain: String, target: String, isHostOnly: Bool) throws {
        let cookie = try #require(try cookie("a=1; Domain=\(domain)"))
        #expect(cookie.domain == target && cookie.isHostOnly == isHostOnly)
    }

    @Test(arguments: [
        "x.www.h.de", "i.de", "de", ".de", "de.", "ww.h.de", "w.h.de", "..h.de", "h.de.", "www.h.de:443", "h", "xh.de",
        "ä.de",
    ])
    func `rejects other domains`(domain: String) throws { #expect(try cookie("a=1; Domain=\(domain)") == nil) }

    @Test func `rejects a domain with a dot at its end, also of a host with one`() throws {
        for domain in ["h.de.", "www.h.de.", ".h.de.", "h.de"] {
            #expect(try cookie("a=1; Domain=\(domain)", from: "https://www.h.de./") == nil, "\(domain)")
        }
    }

    @Test(arguments: [
        ("http://localhost:8/", "localhost"), ("http://127.0.0.1:8/", "127.0.0.1"), ("http://[::1]/", "[::1]"),
    ])
    func `addresses and plain names have no subdomains`(url: String, host: String) throws {
        for text in ["a=1", "a=1; Domain=\(host)"] {
            let cookie = try #require(try cookie(text, from: url))
            #expect(cookie.isHostOnly && cookie.domain == host)
        }
        #expect(try cookie("a=1; Domain=0.1", from: url) == nil)
        #expect(try cookie("a=1; Domain=host", from: url) == nil)
    }

    @Test func `secure requires TLS`() throws {
        #expect(try cookie("a=1; Secure", from: "http://www.h.de/") == nil)
        #expect(try cookie("a=1", from: "http://www.h.de/") != nil)
    }

    @Test(arguments: [
        "__Secure-a=1; Secure", "__Host-a=1; Secure; Path=/", "__host-a=1; Path=/; secure; Domain=",
        "__Secure-a=1; Secure; Domain=h.de; Path=/x",
    ])
    func `accepts valid name prefixes`(text: String) throws {
        #expect(try cookie(text, from: "https://www.h.de/") != nil)
    }

    @Test(arguments: [
        "__Secure-a=1", "__SECURE-a=1", "__Host-a=1; Secure", "__Host-a=1; Path=/", "__Host-a=1; Secure; Path=/x",
        "__Host-a=1; Secure; Path=/; Domain=www.h.de", "__hOsT-a=1; Secure; Path=x", "=__Host-a=1; Secure; Path=/",
        "__Secure-a; Secure",
    ])
    func `rejects invalid name prefixes`(text: String) throws {
        #expect(try cookie(text, from: "https://www.h.de/") == nil)
    }

    @Test func `arbitrary text does not trap`() throws {
        let pieces = [
            "a", "=", ";", " ", "Path", "/", "Max-Age", "-", "9", "Domain", "h.de", ".", "Expires", "ä", "\"", ",",
            "\u{1}",
        ]
        for seed in 0..<3000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let text = (0..<10).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let cookie = try cookie(text) else { continue }
            #expect(HTTPFields.canHold(cookie.pair) && cookie.domain.domainMatches(host: "www.h.de"), "\(text)")
        }
    }
}

extension HTTPFields {
    fileprivate static func canHold(_ value: String) -> Bool { (try? HTTPFields(["Cookie": value])) != nil }
}

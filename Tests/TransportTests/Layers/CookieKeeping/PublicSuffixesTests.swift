import Foundation
import HTTPMessages
import PatchbayTestKit
import SystemLibraries
import TestSupport
import Testing

@testable import Transport

@Suite struct PublicSuffixesTests {
    /// The rules that the names of the published test vectors need.
    private static let rules = """
        // a comment
        com
        uk.com
        biz
        ac

        *.mm
        jp
        ac.jp
        kyoto.jp   and a comment after a blank
        ide.kyoto.jp
        *.kobe.jp
        !city.kobe.jp
        *.ck
        !www.ck
        us
        ak.us
        k12.ak.us
        cn
        com.cn
        \u{516C}\u{53F8}.cn
        \u{4E2D}\u{56FD}
        uk
        co.uk
        """

    /// Public suffixes and domains of the test vectors of publicsuffix.org, which are in the public domain.
    private static let suffixes = [
        "COM", "example", "biz", "com", "uk.com", "mm", "c.mm", "jp", "ac.jp", "kyoto.jp", "ide.kyoto.jp", "c.kobe.jp",
        "ck", "test.ck", "us", "ak.us", "k12.ak.us", "xn--55qx5d.cn", "xn--fiqs8s", "co.uk",
    ]
    private static let domains = [
        "example.COM", "WwW.example.COM", "example.example", "b.example.example", "domain.biz", "example.uk.com",
        "test.ac", "b.c.mm", "a.b.c.mm", "test.jp", "test.ac.jp", "www.test.ac.jp", "test.kyoto.jp", "b.ide.kyoto.jp",
        "b.c.kobe.jp", "city.kobe.jp", "www.city.kobe.jp", "b.test.ck", "www.ck", "www.www.ck", "test.us", "test.ak.us",
        "test.k12.ak.us", "xn--85x722f.com.cn", "xn--85x722f.xn--55qx5d.cn", "shishi.xn--55qx5d.cn",
        "xn--85x722f.xn--fiqs8s", "shop.co.uk",
    ]

    private func check(_ suffixes: PublicSuffixes) {
        for name in Self.suffixes { #expect(suffixes.contains(name), "\(name)") }
        for name in Self.domains { #expect(!suffixes.contains(name), "\(name)") }
        // A dot at the end names the root, and the same domain.
        for name in Self.suffixes { #expect(suffixes.contains(name + "."), "\(name).") }
        for name in Self.domains { #expect(!suffixes.contains(name + "."), "\(name).") }
        for name in ["127.0.0.1", "127.0.0.1.", "[::1]", "", ".", "1.2.3"] {
            #expect(!suffixes.contains(name), "\(name)")
        }
    }

    private func list(_ text: String) throws -> PublicSuffixes {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("list.dat")
        try Data(text.utf8).write(to: file)
        return try PublicSuffixes(contentsOf: file)
    }

    @Test func `a file agrees with the published test vectors`() throws { check(try list(Self.rules)) }

    @Test(.enabled(if: (try? PublicSuffixFunctions.system.get()) != nil, "libpsl is not installed."))
    func `the system's library agrees with the published test vectors`() { check(.system) }

    private static let systemFile = "/usr/share/publicsuffix/public_suffix_list.dat"
    @Test(.enabled(if: FileManager.default.fileExists(atPath: systemFile), "The list is not installed."))
    func `the system's file agrees with the published test vectors`() throws {
        check(try PublicSuffixes(contentsOf: URL(fileURLWithPath: Self.systemFile)))
    }

    @Test(arguments: ["com", "co.uk", "CO.UK", "com.au", "gov.br", "ac.jp", "localhost", "co.uk.", "com."])
    func `the rule without data knows common suffixes`(name: String) {
        #expect(PublicSuffixes.conservative.contains(name))
    }

    @Test(arguments: ["example.com", "a.co.uk", "shop.de", "co.example", "10.0.0.1", ".uk", "a..uk"])
    func `the rule without data leaves other names`(name: String) {
        #expect(!PublicSuffixes.conservative.contains(name))
    }

    @Test(arguments: [
        ("", "no rules"), ("// only a comment\n", "no rules"), ("com\n.uk\n", "Line 2"), ("com\na..b", "Line 2"),
        ("com\n\na/b\n", "Line 3"), ("*", "Line 1"),
    ])
    func `a damaged list is an error that names the line`(text: String, problem: String) throws {
        let error = #expect(throws: HTTPMessageError.self) { try list(text) }
        #expect(error?.code == .invalidSuffixList)
        #expect(error?.message.contains(problem) == true)
    }

    @Test func `a list that is missing is an error`() {
        let error = #expect(throws: HTTPMessageError.self) {
            try PublicSuffixes(contentsOf: URL(fileURLWithPath: "/nonexistent/list.dat"))
        }
        #expect(error?.message.contains("/nonexistent/list.dat") == true)
    }

    @Test(arguments: [PublicSuffixes.system, .conservative])
    func `a server cannot set a cookie for a public suffix`(suffixes: PublicSuffixes) throws {
        let jar = CookieJar(suffixes: suffixes)
        func receive(_ cookie: String, from url: String) throws {
            jar.receive(
                HTTPResponseHead(
                    status: .ok, fields: try HTTPFields(["Set-Cookie": cookie]), url: try URL(httpString: url)))
        }
        try receive("a=1; Domain=co.uk", from: "https://shop.co.uk/")
        try receive("a=1; Domain=.CO.UK", from: "https://shop.co.uk/")
        try receive("a=1; Domain=uk", from: "https://shop.co.uk/")
        #expect(jar.cookies.isEmpty)
        // A host that is a public suffix itself has cookies of its own (RFC 6265bis, section 5.7).
        try receive("a=1; Domain=co.uk", from: "https://co.uk/")
        #expect(jar.cookies.map(\.isHostOnly) == [true])
        #expect(try jar.cookies(for: URL(httpString: "https://shop.co.uk/")).isEmpty)
        try receive("b=1; Domain=shop.co.uk", from: "https://www.shop.co.uk/")
        #expect(try jar.cookies(for: URL(httpString: "https://shop.co.uk/")).map(\.name) == ["b"])
    }

    @Test(arguments: [PublicSuffixes.system, .conservative])
    func `a dot at the end of names does not let a server set a cookie for a public suffix`(
        suffixes: PublicSuffixes
    ) throws {
        let jar = CookieJar(suffixes: suffixes)
        for domain in ["co.uk.", ".co.uk.", "uk.", "shop.co.uk.", "co.uk", "co.uk.."] {
            for host in ["shop.co.uk.", "co.uk.", "shop.co.uk"] {
                jar.receive(
                    HTTPResponseHead(
                        status: .ok, fields: try HTTPFields(["Set-Cookie": "a=1; Domain=\(domain)"]),
                        url: try URL(httpString: "http://\(host)/")))
            }
        }
        #expect(jar.cookies.isEmpty)
        #expect(try jar.cookies(for: URL(httpString: "http://other.co.uk./")).isEmpty)
        // Without a domain, the host has cookies of its own.
        jar.receive(
            HTTPResponseHead(
                status: .ok, fields: try HTTPFields(["Set-Cookie": "a=1"]), url: try URL(httpString: "http://h.co.uk./")
            ))
        #expect(jar.cookies.map(\.domain) == ["h.co.uk."] && jar.cookies.map(\.isHostOnly) == [true])
    }

    @Test func `a snapshot is restored without cookies for public suffixes`() throws {
        let other = CookieJar(suffixes: try list("example\n"))
        for domain in ["co.uk", "co.uk.", "shop.co.uk"] {
            other.set(try Cookie("wide", "1", domain: domain, isHostOnly: false))
        }
        other.set(try Cookie("own", "1", domain: "co.uk"))
        let snapshot = other.snapshot(includingSessionCookies: true)
        let jar = CookieJar(suffixes: .conservative)
        jar.restore(snapshot)
        #expect(snapshot.cookies.count == 4)
        #expect(jar.cookies.map(\.domain) == ["shop.co.uk", "co.uk"] && jar.cookies.map(\.name) == ["wide", "own"])
        #expect(try jar.cookies(for: URL(httpString: "https://evil.co.uk/")).isEmpty)
    }

    // RFC 3492, section 7.1, and names of the list.
    @Test(arguments: [
        ("\u{4E2D}\u{56FD}", "xn--fiqs8s"), ("b\u{FC}cher.example", "xn--bcher-kva.example"), ("a-b", "a-b"),
        ("\u{D1}and\u{FA}".lowercased(), "xn--and-6ma2c"),
        ("\u{3B4}\u{3BF}\u{3BA}\u{3B9}\u{3BC}\u{3AE}", "xn--jxalpdlp"),
    ])
    func `names are written in ASCII`(name: String, ascii: String) { #expect(Punycode.asciiName(name[...]) == ascii) }

    @Test(arguments: 0..<10)
    func `random lists are read or refused`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = ["com", "co.uk", "*.", "!", ".", "\n", "\n", "//", " ", "\u{4E2D}", "\u{10FFFF}", "a"]
        for _ in 0..<100 {
            var data = Data()
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                data.append(contentsOf: (pieces.randomElement(using: &generator) ?? "").utf8)
                if Int.random(in: 0..<20, using: &generator) == 0 {
                    data.append(UInt8.random(in: 0...255, using: &generator))
                }
            }
            if let list = try? PublicSuffixList(data) { #expect(!list.contains("www.a.example.org.test")) }
        }
    }
}

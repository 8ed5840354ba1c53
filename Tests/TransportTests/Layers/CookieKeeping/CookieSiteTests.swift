import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite struct CookieSiteTests {
    private static let suffixes = PublicSuffixes.conservative
    private static let shop = "https://shop.example.com/", news = "https://news.example.org/"

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    /// A jar with one cookie for each `SameSite`, of the host `shop.example.com`.
    private func jar() throws -> CookieJar {
        let jar = CookieJar(suffixes: Self.suffixes)
        let fields = try HTTPFields([
            ("Set-Cookie", "unset=1; Secure"), ("Set-Cookie", "none=1; Secure; SameSite=None"),
            ("Set-Cookie", "lax=1; Secure; SameSite=Lax"), ("Set-Cookie", "strict=1; Secure; SameSite=Strict"),
            // Only a secure cookie is for all sites.
            ("Set-Cookie", "open=1; SameSite=None"),
        ])
        jar.receive(HTTPResponseHead(status: .ok, fields: fields, url: try url(Self.shop)))
        return jar
    }

    /// RFC 6265bis, section 5.8.3.
    static let sent: [(site: String?, isNavigation: Bool, method: HTTPMethod, names: String)] = [
        (nil, false, .post, "unset none lax strict open"),
        ("https://shop.example.com/page", false, .post, "unset none lax strict open"),
        ("https://www.example.com:8443/", false, .post, "unset none lax strict open"),
        // Another scheme is another site.
        ("http://shop.example.com/", false, .get, "none"),
        (news, false, .get, "none"),
        (news, true, .get, "unset none lax open"),
        (news, true, .head, "unset none lax open"),
        (news, true, .post, "none"),
        // Hosts under a public suffix are not of one site.
        ("https://com/", false, .get, "none"),
        ("https://127.0.0.1/", false, .get, "none"),
        ("file:///mail.html", false, .get, "none"), ("about:blank", true, .get, "unset none lax open"),
    ]

    @Test(arguments: sent.indices) func `cookies are sent by their SameSite`(index: Int) async throws {
        let (site, isNavigation, method, names) = Self.sent[index]
        let client = CookieKeeping(base: ScriptedTransport([], then: .status(.ok)), jar: try jar())
        let page = try site.map(url)
        let options = RequestOptions {
            $0.cookieSite = page.map { isNavigation ? .navigation(from: $0) : .page($0) }
        }
        _ = try await client.send(HTTPRequest(method, Self.shop, options: options))
        let expected = names.split(separator: " ").map { "\($0)=1" }.joined(separator: "; ")
        #expect(client.base.requests.map { $0.fields[.cookie] } == [expected])
        if method == .get {
            let found = client.jar.cookies(for: try url(Self.shop), site: options.cookieSite)
            #expect(found.map(\.pair).joined(separator: "; ") == expected)
        }
    }

    @Test(arguments: [
        (false, "https://www.example.com/", 4), (false, news, 1), (true, news, 4),
    ])
    func `a resource of another site's page sets only secure cookies with SameSite=None`(
        isNavigation: Bool, page: String, count: Int
    ) async throws {
        let fields = try HTTPFields([
            ("Set-Cookie", "unset=1"), ("Set-Cookie", "none=1; Secure; SameSite=None"),
            ("Set-Cookie", "strict=1; SameSite=Strict"), ("Set-Cookie", "open=1; SameSite=None"),
        ])
        let base = ScriptedTransport([.response(fields: fields)], then: .status(.ok))
        let client = CookieKeeping(base: base, jar: CookieJar(suffixes: Self.suffixes))
        let page = try url(page)
        let options = RequestOptions { $0.cookieSite = isNavigation ? .navigation(from: page) : .page(page) }
        _ = try await client.send(HTTPRequest(.get, Self.shop, options: options))
        #expect(client.jar.cookies.count == count)
        // What an app reads of a response and sets itself has the same effect.
        let other = CookieJar(suffixes: Self.suffixes)
        let head = HTTPResponseHead(status: .ok, fields: fields, url: try url(Self.shop))
        for cookie in other.cookies(in: head, site: options.cookieSite) { other.set(cookie) }
        #expect(other.cookies == client.jar.cookies)
    }

    @Test func `a partitioned cookie is sent in the partition that it was set in`() async throws {
        let jar = CookieJar(suffixes: Self.suffixes)
        let cdn = try url("https://cdn.example.net/")
        func receive(_ value: String, _ site: CookieSite?) throws {
            let fields = try HTTPFields(["Set-Cookie": "id=\(value); Secure; SameSite=None; Partitioned"])
            jar.receive(HTTPResponseHead(status: .ok, fields: fields, url: cdn), site: site)
        }
        let (shop, news) = try (url(Self.shop), url(Self.news))
        try receive("own", nil)
        try receive("shop", .page(shop))
        try receive("news", .page(news))
        func sent(_ site: CookieSite?, to url: URL) -> [String] { jar.cookies(for: url, site: site).map(\.value) }
        #expect(sent(nil, to: cdn) == ["own"])
        #expect(sent(.navigation(from: shop), to: cdn) == ["own"])
        #expect(sent(.page(cdn), to: cdn) == ["own"])
        #expect(sent(.page(shop), to: cdn) == ["shop"])
        #expect(sent(.page(try url("https://www.example.com/")), to: cdn) == ["shop"])
        #expect(sent(.page(news), to: cdn) == ["news"])
        #expect(sent(.page(try url("https://other.example/")), to: cdn) == [])
        // Pages with an opaque origin have no partition: they would share one.
        for page in ["file:///a/mail.html", "data:text/html,x", "about:blank"] {
            let site = CookieSite.page(try self.url(page))
            try receive("opaque", site)
            #expect(sent(site, to: cdn) == [] && jar.cookies.count == 3)
        }
        let fields = try HTTPFields(["Set-Cookie": "id=read; Secure; SameSite=None; Partitioned"])
        let read = jar.cookies(in: HTTPResponseHead(status: .ok, fields: fields, url: cdn), site: .page(shop))
        #expect(read.map(\.partition) == ["https://example.com"])
        // The next value replaces that of its own partition.
        try receive("shop2", .page(shop))
        #expect(jar.cookies.map(\.value) == ["own", "shop2", "news"])
        #expect(jar.cookies.map(\.partition) == [nil, "https://example.com", "https://example.org"])
        // Partitions survive a snapshot; a cookie file has none, so it has no cookies of other sites' pages.
        let data = try JSONEncoder().encode(jar.snapshot(includingSessionCookies: true))
        let other = CookieJar(suffixes: Self.suffixes)
        other.restore(try JSONDecoder().decode(CookieJar.Snapshot.self, from: data))
        #expect(other.cookies == jar.cookies)
        let text = jar.netscapeText(includingSessionCookies: true)
        #expect(text.contains("own") && !text.contains("shop2") && !text.contains("news"))
    }

    @Test(arguments: [
        ("https://a.b.example.co.uk:8443/x", "https://example.co.uk"), ("https://co.uk/", "https://co.uk"),
        ("https://localhost/", "https://localhost"), ("http://127.0.0.1:80/", "http://127.0.0.1"),
        ("https://[::1]/", "https://[::1]"), ("https://EXAMPLE.com/", "https://example.com"),
        ("https://a.example.com./", "https://example.com."), ("file:///a", nil), ("data:text/html,x", nil),
        ("ftp://example.com/", nil),
    ])
    func `a site is a scheme and a registrable domain`(address: String, site: String?) throws {
        #expect(Self.suffixes.site(of: try url(address)) == site)
    }

    @Test func `a host that is longer than a name of DNS is its own site, without a look-up of each label`() throws {
        let host = String(repeating: "a.", count: 50_000) + "example.com"
        #expect(Self.suffixes.site(of: try url("https://\(host)/")) == "https://\(host)")
        let longest = String(repeating: "a.", count: 122) + "example.com"
        #expect(longest.utf8.count == 255)
        #expect(Self.suffixes.site(of: try url("https://\(longest)/")) == "https://example.com")
    }

    @Test func `the page of a request stays in its redirects, and its description shows no secret`() async throws {
        let redirect = ScriptedTransport.Step.response(
            .found, fields: try HTTPFields(["Location": Self.shop]))
        let base = ScriptedTransport([redirect], then: .status(.ok))
        let client = CookieKeeping(base: base, jar: try jar())
        let page = try url("https://news.example.org/?token=s3cret")
        let options = RequestOptions { $0.cookieSite = .page(page) }
        _ = try await client.redirecting().send(HTTPRequest(.get, "https://a.example/", options: options))
        #expect(base.requests.map { $0.fields[.cookie] } == [nil, "none=1"])
        #expect("\(CookieSite.page(page))".contains("page https://news.example.org"))
        #expect(!"\(CookieSite.page(page))".contains("s3cret"))
    }
}

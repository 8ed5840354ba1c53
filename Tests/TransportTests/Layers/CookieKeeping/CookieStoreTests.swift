import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Transport

@Suite struct CookieStoreTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func url(_ text: String) throws -> URL { try URL(httpString: text) }

    private func receive(
        _ text: String, from address: String = "https://h.de/", in store: inout CookieStore, now: Date? = nil
    ) throws {
        let now = now ?? self.now
        guard let cookie = try SetCookie(text[...], now: now)?.cookie(from: url(address), suffixes: .conservative)
        else { return }
        store.receive(cookie, from: try url(address), now: now)
    }

    private func sent(_ store: CookieStore, to address: String, now: Date? = nil) throws -> [String] {
        store.cookies(for: try url(address), now: now ?? self.now).map(\.pair)
    }

    @Test func `sends cookies to matching UR ls`() throws {
        var store = CookieStore()
        try receive("host=1", in: &store)
        try receive("domain=2; Domain=h.de", in: &store)
        try receive("secure=3; Secure", in: &store)
        try receive("path=4; Path=/x", in: &store)
        #expect(try sent(store, to: "https://h.de/") == ["host=1", "domain=2", "secure=3"])
        #expect(try sent(store, to: "http://h.de:81/") == ["host=1", "domain=2"])
        #expect(try sent(store, to: "https://www.h.de/") == ["domain=2"])
        #expect(try sent(store, to: "http://H.DE/x/y") == ["path=4", "host=1", "domain=2"])
        #expect(try sent(store, to: "https://i.de/") == [])
        #expect(try sent(store, to: "https://xh.de/") == [])
    }

    @Test func `sends longer paths first then older cookies`() throws {
        var store = CookieStore()
        for (name, path) in [("a", "/"), ("b", "/x/y"), ("c", "/x"), ("d", "/x/y"), ("e", "/")] {
            try receive("\(name)=; Path=\(path)", in: &store)
        }
        #expect(try sent(store, to: "https://h.de/x/y/z") == ["b=", "d=", "c=", "a=", "e="])
        // A new value keeps the position.
        try receive("a=new; Path=/", in: &store)
        #expect(try sent(store, to: "https://h.de/") == ["a=new", "e="])
    }

    @Test func `replaces a cookie of the same name domain and path`() throws {
        var store = CookieStore()
        try receive("a=1", in: &store)
        try receive("a=2; Domain=h.de", in: &store)
        try receive("a=3; Path=/x", in: &store)
        try receive("A=4", in: &store)
        #expect(store.count == 4)
        try receive("a=5", in: &store)
        #expect(store.count == 4)
        #expect(try sent(store, to: "https://h.de/") == ["a=5", "a=2", "A=4"])
    }

    @Test func expires() throws {
        var store = CookieStore()
        try receive("a=1; Max-Age=10", in: &store)
        #expect(try sent(store, to: "https://h.de/", now: now + 9.9) == ["a=1"])
        #expect(try sent(store, to: "https://h.de/", now: now + 10) == [])
        #expect(store.entries(at: now + 10).isEmpty)
    }

    @Test func `an expired cookie removes the stored one`() throws {
        var store = CookieStore()
        try receive("a=1", in: &store)
        try receive("b=1", in: &store)
        try receive("a=; Max-Age=0", in: &store)
        #expect(try sent(store, to: "https://h.de/") == ["b=1"])
        #expect(store.count == 1)
    }

    // MARK: Without TLS

    @Test(arguments: [
        "a=2", "a=2; Domain=h.de", "a=2; Path=/x/y", "a=; Max-Age=0; Path=/x", "a=2; Path=/x; Domain=www.h.de",
    ])
    func `a secure cookie cannot be overwritten without TLS`(text: String) throws {
        var store = CookieStore()
        try receive("a=1; Secure; Path=/x; Domain=h.de", in: &store)
        try receive(text, from: "http://www.h.de/x/z", in: &store)
        #expect(store.entries(at: now).map(\.cookie.pair) == ["a=1"])
    }

    @Test func `a secure cookie does not block others`() throws {
        var store = CookieStore()
        try receive("a=1; Secure; Path=/x; Max-Age=10", in: &store)
        try receive("b=2; Path=/x", from: "http://h.de/", in: &store)
        try receive("a=3; Path=/", from: "http://h.de/", in: &store)
        try receive("a=4; Path=/x", from: "http://i.de/", in: &store)
        try receive("a=5; Path=/x", from: "https://h.de/", in: &store)
        #expect(store.entries(at: now).map(\.cookie.pair) == ["a=5", "b=2", "a=3", "a=4"])
        var other = CookieStore()
        try receive("a=1; Secure; Max-Age=10", in: &other)
        try receive("a=2", from: "http://h.de/", in: &other, now: now + 10)
        #expect(other.entries(at: now + 10).map(\.cookie.pair) == ["a=2"])
    }

    // MARK: Eviction

    @Test func `evicts the least recently used of a domain`() throws {
        var store = CookieStore(limits: CookieJar.Limits(perDomain: 3))
        for name in ["a", "b", "c"] { try receive("\(name)=; Path=/\(name)", in: &store) }
        #expect(store.use(for: try url("https://h.de/a"), now: now).count == 1)
        try receive("d=", in: &store)
        try receive("x=", from: "https://i.de/", in: &store)
        #expect(store.entries(at: now).map(\.cookie.name) == ["a", "c", "d", "x"])
        #expect(store.count == 4)
    }

    @Test func `a full domain removes its own expired cookies only`() throws {
        var store = CookieStore(limits: CookieJar.Limits(perDomain: 2))
        for host in ["h.de", "i.de"] {
            try receive("a=; Max-Age=5", from: "https://\(host)/", in: &store)
            try receive("b=", from: "https://\(host)/", in: &store)
        }
        try receive("c=", in: &store, now: now + 9)
        #expect(store.count == 4 && store.entries(at: now + 9).map(\.cookie.name) == ["b", "b", "c"])
        var full = CookieStore(limits: CookieJar.Limits(total: 2))
        for host in ["h.de", "i.de"] { try receive("a=; Max-Age=5", from: "https://\(host)/", in: &full) }
        try receive("b=", from: "https://j.de/", in: &full, now: now + 9)
        #expect(full.count == 1)
    }

    @Test func `evicts insecure cookies before secure ones`() throws {
        var store = CookieStore(limits: CookieJar.Limits(perDomain: 2))
        try receive("a=; Secure", in: &store)
        try receive("b=", in: &store)
        try receive("c=; Secure", in: &store)
        #expect(store.entries(at: now).map(\.cookie.name) == ["a", "c"])
        try receive("d=; Secure", in: &store)
        #expect(store.entries(at: now).map(\.cookie.name) == ["c", "d"])
    }

    @Test func `a partition of a domain evicts nothing of another one`() throws {
        var store = CookieStore(limits: CookieJar.Limits(perDomain: 2))
        func insert(_ name: String, in partition: String?) throws {
            let cookie = try Cookie(
                name, "1", domain: "h.de", isSecure: true, sameSite: .crossSite, isPartitioned: true)
            store.insert(cookie.inPartition(partition), now: now)
        }
        try receive("own=; Max-Age=99", in: &store)
        for site in ["https://a.de", "https://b.de"] { for name in ["x", "y", "z"] { try insert(name, in: site) } }
        try receive("lang=", in: &store)
        #expect(store.entries(at: now).map(\.cookie.name) == ["own", "y", "z", "y", "z", "lang"])
        // The partition of its own site has the limit of the cookies without one.
        try insert("p", in: nil)
        #expect(store.entries(at: now).map(\.cookie.name) == ["y", "z", "y", "z", "lang", "p"] && store.count == 6)
    }

    @Test func `evicts expired cookies first`() throws {
        var store = CookieStore(limits: CookieJar.Limits(perDomain: 2))
        try receive("a=", in: &store)
        try receive("b=; Secure; Max-Age=1", in: &store)
        try receive("c=", in: &store, now: now + 2)
        #expect(store.entries(at: now).map(\.cookie.name) == ["a", "c"])
    }

    @Test func `evicts the least recently used of all when the jar is full`() throws {
        var store = CookieStore(limits: CookieJar.Limits(total: 3))
        for host in ["a.de", "b.de", "c.de"] { try receive("x=", from: "https://\(host)/", in: &store) }
        #expect(store.use(for: try url("https://a.de/"), now: now).count == 1)
        try receive("x=", from: "https://d.de/", in: &store)
        #expect(store.entries(at: now).map(\.cookie.domain) == ["a.de", "c.de", "d.de"])
    }

    @Test(arguments: [0, -1])
    func `limits below one do not trap`(limit: Int) throws {
        var store = CookieStore(limits: CookieJar.Limits(perDomain: limit))
        try receive("a=1", in: &store)
        #expect(store.count == 0)
        var other = CookieStore(limits: CookieJar.Limits(total: limit))
        try receive("a=1", in: &other)
        #expect(other.count == 0)
    }

    @Test func `matches a reference under random operations`() throws {
        let hosts = ["h.de", "www.h.de", "a.www.h.de", "i.de", "127.0.0.1", "localhost"]
        let paths = ["/", "/x", "/x/y", "/xy"]
        let attributes = ["Secure", "Domain=h.de", "Domain=www.h.de", "Max-Age=3", "Max-Age=0", "Path=/x", "Path=/"]
        for seed in 0..<150 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let limits = CookieJar.Limits(perDomain: 5, total: 12)
            var store = CookieStore(limits: limits)
            var time = now
            func address() -> String {
                (Bool.random(using: &generator) ? "https://" : "http://")
                    + (hosts.randomElement(using: &generator) ?? "")
                    + (paths.randomElement(using: &generator) ?? "")
            }
            for _ in 0..<60 {
                let text =
                    (["\("abcd".randomElement(using: &generator) ?? "a")=\(Int.random(in: 0...9, using: &generator))"]
                    + attributes.shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator)))
                    .joined(separator: "; ")
                try receive(text, from: address(), in: &store, now: time)
                time += TimeInterval(Int.random(in: 0...1, using: &generator))
                let target = try url(address())
                let all = store.entries(at: time).map(\.cookie)
                let found = store.use(for: target, now: time)
                #expect(store.count <= limits.total, "seed \(seed)")
                #expect(Dictionary(grouping: all, by: \.domain).values.allSatisfy { $0.count <= limits.perDomain })
                // The sent cookies are those that match by the rules.
                let host = target.host() ?? ""
                let expected = all.filter {
                    (host == $0.domain || !$0.isHostOnly && host.hasSuffix("." + $0.domain))
                        && (!$0.isSecure || target.scheme == "https") && $0.path.pathMatches(request: target.path())
                }
                #expect(Set(found) == Set(expected) && found.count == expected.count, "seed \(seed)")
                #expect(found.map(\.path.count) == found.map(\.path.count).sorted(by: >), "seed \(seed)")
            }
        }
    }
}

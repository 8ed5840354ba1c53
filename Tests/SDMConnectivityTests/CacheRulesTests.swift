import Foundation
import HTTPMessages
import Testing

@testable import SDMConnectivity

struct CacheRulesTests {
    private static let now = Date(timeIntervalSince1970: 1_300_000_000)

    private func request(_ fields: KeyValuePairs<String, String> = [:], _ method: HTTPMethod = .get) throws
        -> HTTPMessages.HTTPRequest
    {
        try HTTPMessages.HTTPRequest(method, "http://example.com/a", fields: HTTPFields(fields))
    }

    private func head(_ fields: KeyValuePairs<String, String>, status: HTTPStatus = .ok) throws -> HTTPResponseHead {
        HTTPResponseHead(
            status: status, fields: try HTTPFields(fields), url: try URL(httpString: "http://example.com/a"))
    }

    @Test func `S43: numbers of policies and storages`() {
        #expect(SDMCachePolicy.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(SDMCachePolicy.useCacheIfLoadFails.rawValue == 4 && SDMCachePolicy.onlyLoadIfNotCached.rawValue == 3)
        #expect(SDMCacheStoragePolicy.session.rawValue == 0 && SDMCacheStoragePolicy.permanent.rawValue == 1)
    }

    @Test(arguments: [
        (SDMCachePolicy.default, [CacheRules.Action.load, .use, .revalidate, .load]),
        (.ignore, [.load, .load, .load, .load]),
        (.reloadIfDifferent, [.load, .use, .revalidate, .load]),
        (.onlyLoadIfNotCached, [.load, .use, .use, .use]),
        (.useCacheIfLoadFails, [.load, .revalidate, .revalidate, .load]),
    ])
    func `S43: the action by policy and entry`(policy: SDMCachePolicy, actions: [CacheRules.Action]) {
        #expect(CacheRules.Entry.allCases == [.missing, .fresh, .staleWithValidator, .stale])
        #expect(CacheRules.Entry.allCases.map { CacheRules.action(policy, $0) } == actions)
    }

    @Test func `S43: only plain GETs use the cache`() throws {
        #expect(CacheRules.isCacheable(try request()))
        #expect(CacheRules.isCacheable(try request(["Cache-Control": "no-cache", "Accept": "text/plain"])))
        for method in [HTTPMethod.post, .put, .delete, .head] {
            #expect(!CacheRules.isCacheable(try request([:], method)))
        }
        for name in ["Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Range", "X-CSRF-Token"] {
            #expect(!CacheRules.isCacheable(try request([name: "x"])), "\(name)")
        }
        #expect(!CacheRules.isCacheable(try request(["Cache-Control": "no-store"])))
    }

    @Test(arguments: ["no-cache", "max-age=0", "max-age=60"])
    func `a request can demand that a fresh response is revalidated`(directive: String) throws {
        let plain = try request()
        let response = HTTPResponse(
            status: .ok, fields: try HTTPFields(["ETag": "\"1\""]), body: Data(), url: plain.url)
        let cached = CachedResponse(response, for: plain, stored: Self.now, expires: Self.now + 60)
        #expect(cached.entry(for: plain, user: nil, at: Self.now) == .fresh)
        let demanding = try request(["Cache-Control": directive])
        #expect(cached.entry(for: demanding, user: nil, at: Self.now) == .staleWithValidator)
    }

    @Test(arguments: [
        (HTTPMethod.post, HTTPStatus.created, true), (.put, .noContent, true), (.delete, .ok, true),
        (.post, .seeOther, true), (.post, .badRequest, false), (.put, .internalServerError, false),
        (.get, .ok, false), (.head, .ok, false),
    ])
    func `a successful write makes responses of its own origin invalid`(
        method: HTTPMethod, status: HTTPStatus, isWrite: Bool
    ) throws {
        let head = HTTPResponseHead(
            status: status,
            fields: try HTTPFields([
                "Location": "b", "Content-Location": "http://EXAMPLE.com:80/c",
            ]), url: try URL(httpString: "http://example.com/a"))
        let other = HTTPResponseHead(
            status: status, fields: try HTTPFields(["Location": "https://example.com/a"]), url: head.url)
        let urls = CacheRules.invalidatedURLs(by: head, to: try request([:], method)).map(\.absoluteString)
        #expect(
            urls == (isWrite ? ["http://example.com/a", "http://example.com/b", "http://EXAMPLE.com:80/c"] : []))
        #expect(CacheRules.invalidatedURLs(by: other, to: try request([:], method)).count == (isWrite ? 1 : 0))
    }

    @Test func `storable responses`() throws {
        var rules = CacheRules()
        let request = try request()
        #expect(rules.isStorable(try head([:]), for: request))
        #expect(rules.isStorable(try head(["Cache-Control": "no-cache", "Vary": "Accept"]), for: request))
        #expect(!rules.isStorable(try head([:], status: .notFound), for: request))
        #expect(!rules.isStorable(try head([:], status: .partialContent), for: request))
        #expect(!rules.isStorable(try head(["Vary": "*"]), for: request))
        #expect(!rules.isStorable(try head(["Vary": "Accept, Authorization"]), for: request))
        #expect(!rules.isStorable(try head(["Cache-Control": "private, No-Store"]), for: request))
        rules.respectsCacheControl = false
        #expect(rules.isStorable(try head(["Cache-Control": "no-store"]), for: request))
    }

    @Test(
        arguments: [
            (["Cache-Control": "max-age=60"], 60.0), (["Cache-Control": "public, max-age=\"60\"", "Age": "20"], 40.0),
            (["Cache-Control": "max-age=60, no-cache"], nil), (["Cache-Control": "max-age=abc"], 0.0),
            (["Cache-Control": "max-age=-5"], 0.0), (["Cache-Control": "max-age=1e999"], 0.0),
            (["Pragma": "no-cache", "Expires": "Sun, 13 Mar 2011 07:07:40 GMT"], nil),
            (["Date": "Sun, 13 Mar 2011 07:06:40 GMT", "Expires": "Sun, 13 Mar 2011 07:07:40 GMT"], 60.0),
            (["Expires": "Sun, 13 Mar 2011 07:07:40 GMT"], 60.0), (["Expires": "0"], nil), ([:], nil),
        ] as [([String: String], Double?)])
    func `freshness in seconds`(fields: [String: String], seconds: Double?) throws {
        let head = HTTPResponseHead(
            status: .ok, fields: try HTTPFields(fields.map { ($0.key, $0.value) }),
            url: try URL(httpString: "http://example.com/"))
        let expires = CacheRules().expiration(of: head, secondsToCache: 0, receivedAt: Self.now)
        #expect(expires?.timeIntervalSince(Self.now) == seconds)
    }

    @Test(arguments: [
        ("Accept-Language", "de, en", "EN,de", true), ("Accept-Language", "de", "en", false),
        ("Accept", "text/plain,text/html", "text/plain, text/html", true), ("Accept", nil, "", false),
        ("X-Long", String(repeating: "a", count: 200), String(repeating: "a", count: 200), true),
        ("X-Long", String(repeating: "a", count: 200), String(repeating: "a", count: 199) + "b", false),
        // Its value would be in the file.
        ("X-Api-Key", "k", "k", false),
    ])
    func `variants are compared as any cache of this package does`(
        name: String, value: String?, other: String, isSame: Bool
    ) throws {
        let (first, second) = (try request(value.map { [name: $0] } ?? [:]), try request([name: other]))
        let response = HTTPResponse(
            status: .ok, fields: try HTTPFields(["Vary": name]), body: Data(), url: first.url)
        let cached = CachedResponse(response, for: first, stored: Self.now, expires: Self.now + 60)
        #expect(cached.entry(for: second, user: nil, at: Self.now) == (isSame ? .fresh : .missing))
    }

    @Test func `secondsToCache overrides the fields`() throws {
        let head = try head(["Cache-Control": "no-cache"])
        let expires = CacheRules().expiration(of: head, secondsToCache: 30, receivedAt: Self.now)
        #expect(expires == Self.now + 30)
        #expect(CacheRules().expiration(of: head, secondsToCache: .infinity, receivedAt: Self.now) != nil)
    }

    @Test func `the session's responses are evicted by use`() throws {
        var responses = SessionResponses(limit: 10)
        func response(_ key: String, _ count: Int) throws -> CachedResponse {
            let request = try HTTPMessages.HTTPRequest(.get, "http://example.com/\(key)")
            let response = HTTPResponse(status: .ok, body: Data(count: count), url: request.url)
            return CachedResponse(response, for: request, stored: Self.now, expires: nil)
        }
        for key in ["a", "b"] { responses.insert(try response(key, 4)) }
        _ = responses.response(for: "http://example.com/a")
        responses.insert(try response("c", 4))
        #expect(responses.response(for: "http://example.com/a") != nil)
        #expect(responses.response(for: "http://example.com/b") == nil)
        #expect(responses.byteCount == 8)
        responses.insert(try response("a", 11))
        #expect(responses.response(for: "http://example.com/a") == nil && responses.byteCount == 4)
        responses.removeAll()
        #expect(responses.byteCount == 0 && responses.limit == 10)
    }

    @Test func `the session's responses are limited in number, since empty ones have a size too`() throws {
        var responses = SessionResponses(limit: 10)
        for index in 0...SessionResponses.maximumCount {
            let request = try HTTPMessages.HTTPRequest(.get, "http://example.com/\(index)")
            let response = HTTPResponse(status: .ok, url: request.url)
            responses.insert(CachedResponse(response, for: request, stored: Self.now, expires: nil))
        }
        #expect(responses.response(for: "http://example.com/0") == nil)
        #expect(responses.response(for: "http://example.com/1") != nil)
    }

    @Test(arguments: ["inf", "1e300", "-inf", "nan"]) func `a senseless age gives a date that can be stored`(
        age: String
    ) throws {
        let head = try head(["Cache-Control": "max-age=60", "Age": age])
        let expires = try #require(CacheRules().expiration(of: head, secondsToCache: 0, receivedAt: Self.now))
        #expect(abs(expires.timeIntervalSince(Self.now)) <= Double.century)
    }
}

import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@testable import HTTPCaching

/// The state machine by tables: no storage, no network, no clock.
@Suite struct CacheExchangeTests {
    private let now = 1_000_000.0

    /// A response of an age in seconds.
    private func stored(_ fields: KeyValuePairs<String, String>, age: Double = 0, status: Int = 200) throws
        -> StoredResponse
    {
        StoredResponse(
            try #require(HTTPStatus(status)), try HTTPFields(fields), requestTime: now - age, responseTime: now - age,
            varying: [], body: StoredBody(Data("0123456789".utf8)), rules: CacheRules())
    }

    /// The first action in short: `use`, `use+` with a revalidation, `504`, or the reason for which it is sent.
    private func start(_ request: HTTPRequest, _ stored: StoredResponse?, isKnown: Bool = false) -> String {
        var exchange = CacheExchange(request, rules: CacheRules())
        switch exchange.start(stored, isKnown: isKnown, now: now) {
        case .use(_, let revalidates): return revalidates ? "use+" : "use"
        case .unavailable: return "504"
        case .send(let sent):
            let reason = exchange.status.forward?.rawValue ?? ""
            return sent.fields.contains(.ifNoneMatch) || sent.fields.contains(.ifModifiedSince)
                ? "\(reason), conditional" : reason
        }
    }

    /// What is stored, its age, and the directives of a request -> the action.
    @Test(
        arguments: [
            ("max-age=60", 0, "", "use"), ("max-age=60", 59, "", "use"), ("max-age=60", 60, "", "stale, conditional"),
            ("max-age=60", 0, "no-cache", "request, conditional"), ("max-age=60", 0, "no-store", "bypass"),
            ("max-age=60", 30, "max-age=40", "use"), ("max-age=60", 30, "max-age=20", "request, conditional"),
            ("max-age=60", 30, "max-age=20, max-age=100", "request, conditional"),
            ("max-age=60", 30, "min-fresh=30", "use"), ("max-age=60", 31, "min-fresh=30", "request, conditional"),
            ("max-age=60", 0, "min-fresh=x", "request, conditional"), ("max-age=60", 90, "max-stale", "use"),
            ("max-age=60", 90, "max-stale=30", "use"), ("max-age=60", 91, "max-stale=30", "stale, conditional"),
            ("max-age=60", 91, "max-stale=x", "stale, conditional"),
            ("max-age=60, must-revalidate", 90, "max-stale", "stale, conditional"),
            ("max-age=60, no-cache", 0, "max-stale", "stale, conditional"),
            ("max-age=60, immutable", 0, "max-age=0", "use"),
            ("max-age=60, immutable", 0, "no-cache", "request, conditional"),
            ("max-age=60, immutable", 60, "max-age=0", "stale, conditional"),
            ("max-age=60, stale-while-revalidate=10", 70, "", "use+"),
            ("max-age=60, stale-while-revalidate=10", 71, "", "stale, conditional"),
            ("max-age=60, stale-while-revalidate=10, must-revalidate", 65, "", "stale, conditional"),
            ("max-age=60, stale-while-revalidate=10", 65, "max-age=100", "stale, conditional"),
            ("max-age=60", 0, "only-if-cached", "use"), ("max-age=60", 90, "only-if-cached", "504"),
            ("max-age=60", 90, "only-if-cached, max-stale", "use"),
            ("max-age=-1", 0, "", "stale, conditional"), ("max-age=1.5", 0, "", "stale, conditional"),
            ("max-age=99999999999999999999999", 0, "", "use"), ("max-age=\"60\"", 0, "", "use"),
            ("max-age=60, max-age=0", 0, "", "stale, conditional"), ("max-age", 0, "", "stale, conditional"),
            ("no-cache=\"x\"; max-age=60", 0, "", "stale, conditional"), ("s-maxage=60", 0, "", "stale, conditional"),
        ] as [(String, Double, String, String)])
    func `directives`(control: String, age: Double, demand: String, action: String) throws {
        let stored = try stored(["Cache-Control": control, "ETag": "\"a\""], age: age)
        let request = try demand.isEmpty ? HTTPRequest.test() : .test(.get, "/a", ["Cache-Control": demand])
        #expect(start(request, stored) == action)
    }

    @Test func `nothing stored`() throws {
        #expect(start(try .test(), nil) == "uri-miss")
        #expect(start(try .test(), nil, isKnown: true) == "vary-miss")
        #expect(start(try .test { $0.cachePolicy = .onlyIfCached }, nil) == "504")
        #expect(start(try .test { $0.cachePolicy = .noStore }, nil) == "bypass")
    }

    @Test(arguments: [
        (CachePolicy.standard, "stale, conditional"), (.reload, "stale"), (.noStore, "bypass"), (.preferCached, "use"),
        (.onlyIfCached, "use"),
    ])
    func `policies for a stale response`(policy: CachePolicy, action: String) throws {
        let stored = try stored(["Cache-Control": "max-age=10", "ETag": "\"a\""], age: 20)
        #expect(start(try .test { $0.cachePolicy = policy }, stored) == action)
    }

    @Test(
        arguments: [
            (503, "initial", "use"), (503, "retry", "request, conditional"), (504, "failover", "request, conditional"),
            (429, "retry", "request, conditional"), (408, "retry", "request, conditional"), (404, "retry", "use"),
            (200, "retry", "use"),
        ] as [(Int, String, String)])
    func `a stored failure is for first attempts only`(status: Int, reason: String, action: String) throws {
        let stored = try stored(["Cache-Control": "max-age=60", "ETag": "\"a\""], status: status)
        for policy in [CachePolicy.standard, .preferCached] {
            let request = try HTTPRequest.test { options in
                options.attemptReason = AttemptReason(reason)
                options.cachePolicy = policy
            }
            #expect(start(request, stored) == action)
        }
    }

    @Test(arguments: ["no-cache", "max-age=10, must-revalidate"])
    func `no policy uses what must be revalidated`(control: String) throws {
        let stored = try stored(["Cache-Control": control, "ETag": "\"a\""], age: 20)
        #expect(start(try .test { $0.cachePolicy = .preferCached }, stored) == "stale, conditional")
        #expect(start(try .test { $0.cachePolicy = .onlyIfCached }, stored) == "504")
    }

    /// The next action in short, after a revalidation.
    private func received(
        _ fields: KeyValuePairs<String, String>, age: Double, _ status: Int, _ new: KeyValuePairs<String, String>
    ) throws -> String {
        var exchange = CacheExchange(try .test(), rules: CacheRules())
        _ = exchange.start(try stored(fields, age: age), isKnown: false, now: now)
        let head = HTTPResponseHead(
            status: try #require(HTTPStatus(status)), fields: try HTTPFields(new), url: exchange.request.url)
        return switch exchange.received(head, requestTime: now, responseTime: now) {
        case .deliver(let stored): stored == nil ? "deliver" : "store"
        case .join: "join"
        case .freshen(_, _, let isStorable): isStorable ? "freshen" : "freshen, remove"
        case .useStale: "stale"
        case .sendAgain: "again"
        }
    }

    @Test(
        arguments: [
            ("max-age=10", 200, [:], "store"), ("max-age=10", 200, ["Cache-Control": "no-store"], "deliver"),
            ("max-age=10", 304, [:], "freshen"), ("max-age=10", 304, ["ETag": "\"a\""], "freshen"),
            ("max-age=10", 304, ["ETag": "\"b\""], "again"), ("max-age=10", 304, ["ETag": "W/\"b\""], "again"),
            ("max-age=10", 304, ["ETag": "W/\"a\""], "freshen"),
            ("max-age=10", 304, ["Cache-Control": "no-store"], "freshen, remove"),
            ("max-age=10", 304, ["Vary": "*"], "freshen, remove"), ("max-age=10", 503, [:], "deliver"),
            ("max-age=10, stale-if-error=60", 503, [:], "stale"), ("max-age=10, stale-if-error=5", 503, [:], "deliver"),
            ("max-age=10, stale-if-error=60", 501, [:], "store"), ("max-age=10, stale-if-error=60", 404, [:], "store"),
            ("max-age=10, stale-if-error=60, must-revalidate", 503, [:], "deliver"),
        ] as [(String, Int, KeyValuePairs<String, String>, String)])
    func `responses to a revalidation`(
        control: String, status: Int, fields: KeyValuePairs<String, String>, action: String
    ) throws {
        #expect(try received(["Cache-Control": control, "ETag": "\"a\""], age: 20, status, fields) == action)
    }

    @Test(
        arguments: [
            (200, [:], true), (200, ["Cache-Control": "no-store"], false), (200, ["Vary": "*"], false),
            (200, ["Cache-Control": "private"], true), (201, [:], false), (201, ["Cache-Control": "max-age=1"], true),
            (500, [:], false), (500, ["Expires": "0"], true), (599, ["Cache-Control": "public"], true),
            (599, ["Cache-Control": "max-age=9, must-understand"], false),
            (200, ["Cache-Control": "max-age=9, must-understand, no-store"], true), (404, [:], true), (302, [:], false),
            (206, [:], false), (401, ["Cache-Control": "max-age=9"], false), (199, [:], false),
        ] as [(Int, KeyValuePairs<String, String>, Bool)])
    func `what is stored`(status: Int, fields: KeyValuePairs<String, String>, isStored: Bool) throws {
        var exchange = CacheExchange(try .test(), rules: CacheRules())
        _ = exchange.start(nil, isKnown: false, now: now)
        let head = HTTPResponseHead(
            status: try #require(HTTPStatus(status)), fields: try HTTPFields(fields), url: exchange.request.url)
        guard case .deliver(let stored) = exchange.received(head, requestTime: now, responseTime: now) else {
            Issue.record("not delivered")
            return
        }
        #expect((stored != nil) == isStored)
    }

    @Test func `a response of another URL is not stored`() throws {
        var exchange = CacheExchange(try .test(), rules: CacheRules())
        _ = exchange.start(nil, isKnown: false, now: now)
        let head = HTTPResponseHead(status: .ok, url: try URL(httpString: "https://api.test/b"))
        guard case .deliver(nil) = exchange.received(head, requestTime: now, responseTime: now) else {
            Issue.record("stored")
            return
        }
    }
}

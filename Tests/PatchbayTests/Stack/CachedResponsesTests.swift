import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

/// A cache beside the other layers of a stack.
@Suite struct CachedResponsesTests {
    private let clock = ManualClock()

    @Test func `a cache that has nothing stored is no failure of the hosts`() async throws {
        let transport = ScriptedTransport { request in
            guard request.url.host() == "b.example" else {
                throw TransportError(.connectionLost, "Connection lost.", request: request)
            }
            return request.response(text: "b")
        }
        let hosts = try HostList("https://a.example", "https://b.example")
        let stack = Stack(over: transport, clock: clock).caching().balancing(over: hosts)
        var texts: [String] = []
        for try await response in stack.cachedThenNetwork(try HTTPRequest(.get, "https://a.example/x")) {
            texts.append(String(decoding: response.body, as: UTF8.self))
        }
        #expect(texts == ["b"] && transport.requests.map { $0.url.host() } == ["a.example", "b.example"])
    }

    @Test(arguments: [["/go", "/me"], ["/me", "/go"]])
    func `a user's responses, and those to which another origin has led, are not each other's`(
        paths: [String]
    ) async throws {
        let targets = ["/go": "https://b.example/sso", "/sso": "https://a.example/me"]
        let transport = ScriptedTransport { request in
            if let target = targets[request.url.path] {
                return try request.response(.found, fields: HTTPFields(["Location": target]))
            }
            let text = request.fields[.authorization] ?? "none"
            return try request.response(fields: HTTPFields(["Cache-Control": "private, max-age=600"]), text: text)
        }
        let stack = Stack(over: transport, clock: clock).redirecting().caching()
            .authorizing(with: try BearerAuthorizer(token: "ann"), at: try AllowedOrigins("https://a.example"))
        for path in paths {
            var request = try HTTPRequest(.get, "https://a.example\(path)")
            request.options.cachePartition = "ann"
            let response = try await stack.send(request)
            #expect(String(decoding: response.body, as: UTF8.self) == (path == "/me" ? "Bearer ann" : "none"))
        }
    }

    @Test(arguments: ["/late", "/go"])
    func `a hedge does not wait in the cache for the request of the first attempt, also after a redirect`(
        path: String
    ) async throws {
        let (late, count) = (Gate(), Watched(0))
        let transport = ScriptedTransport { request in
            guard request.url.path == "/late" else {
                return try request.response(.found, fields: HTTPFields(["Location": "/late"]))
            }
            let number = count.update { count in
                count += 1
                return count
            }
            if number == 1 { try await late.wait() }
            return try request.response(fields: HTTPFields(["Cache-Control": "max-age=60"]), text: "\(number)")
        }
        let cache = HTTPCache(clock: clock)
        let stack = Stack(over: transport, clock: clock).redirecting().caching(in: cache).hedging(after: .seconds(1))
        let request = try HTTPRequest(.get, "https://example.com\(path)")
        let task = Task { try await stack.send(request) }
        try await late.waitForWaiters(1)
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(1))
        try await eventually("a further request, or a call that waits in the cache") {
            count.value == 2 || cache.followerCount > 0
        }
        #expect(cache.followerCount == 0)
        // Ends a wait for the first attempt.
        if cache.followerCount > 0 { late.open() }
        #expect(String(decoding: try await task.value.body, as: UTF8.self) == "2")
    }

    @Test func `hedges of several calls wait in the cache for one request`() async throws {
        let (late, hedge, count) = (Gate(), Gate(), Watched(0))
        let transport = ScriptedTransport { request in
            let number = count.update { count in
                count += 1
                return count
            }
            try await (number == 1 ? late : hedge).wait()
            return try request.response(fields: HTTPFields(["Cache-Control": "max-age=60"]), text: "\(number)")
        }
        let cache = HTTPCache(clock: clock)
        let stack = Stack(over: transport, clock: clock).caching(in: cache).hedging(after: .seconds(1))
        let request = try HTTPRequest(.get, "https://example.com/a")
        let calls = (0..<3).map { _ in Task { try await stack.send(request) } }
        try await late.waitForWaiters(1)
        try await eventually("calls that wait for the first request") { cache.followerCount == 2 }
        try await clock.waitForSleepers(3)
        await clock.advance(by: .seconds(1))
        try await eventually("hedges that wait for one of them, or more requests") {
            cache.followerCount == 4 || count.value > 2
        }
        #expect(count.value == 2)
        hedge.open()
        for call in calls { #expect(String(decoding: try await call.value.body, as: UTF8.self) == "2") }
    }

    @Test func `a retry after a stored failure asks the server`() async throws {
        let fields = try HTTPFields(["Cache-Control": "max-age=60"])
        let transport = ScriptedTransport(
            [.response(.serviceUnavailable, fields: fields)], then: .response(fields: fields))
        let stack = Stack(over: transport, clock: clock).caching().retrying(.standard)
        let request = try HTTPRequest(.get, "https://example.com/a")
        var once = request
        once.options.maximumAttempts = 1
        for isHit in [false, true] {
            let response = try await stack.send(once)
            #expect(response.status == .serviceUnavailable && response.head.cacheStatus?.isHit == isHit)
        }
        let response = try await clock.autoAdvancing { try await stack.send(request) }
        #expect(response.status == .ok && response.attempts.count == 1 && transport.requests.count == 2)
    }

    @Test func `a stored failure moves a call to the next host, and its host does not rest`() async throws {
        let transport = ScriptedTransport { request in
            guard request.url.absoluteString == "https://a.example/x" else { return request.response() }
            return try request.response(.gatewayTimeout, fields: HTTPFields(["Cache-Control": "max-age=60"]))
        }
        let hosts = try HostList("https://a.example", "https://b.example")
        let stack = Stack(over: transport, clock: clock).caching().balancing(over: hosts)
        let request = try HTTPRequest(.get, "https://a.example/x")
        #expect(try await stack.send(request).status == .ok)
        // After the rest for the response of the server.
        await clock.advance(by: .seconds(2))
        #expect(try await stack.send(request).status == .ok)
        _ = try await stack.send(HTTPRequest(.get, "https://a.example/y"))
        #expect(transport.requests.map { $0.url.host() } == ["a.example", "b.example", "b.example", "a.example"])
    }

    @Test func `a stale response replaces the error of an outage, and of an open circuit, by a rule of the cache`()
        async throws
    {
        let isDown = Watched(false)
        let transport = ScriptedTransport { request in
            if isDown.value { throw TransportError(.unreachable, "No network.", request: request) }
            let control = request.url.path == "/strict" ? "max-age=10, must-revalidate" : "max-age=10"
            return request.response(fields: try HTTPFields(["Cache-Control": control]), body: Data("stored".utf8))
        }
        let policy = CircuitPolicy(threshold: .failures(2, within: .seconds(60)))
        let rules = CacheRules { $0.staleIfError = .seconds(60) }
        let stack = Stack(over: transport, clock: clock).circuitBreaking(policy)
            .caching(in: HTTPCache(rules: rules, clock: clock))
        let plain = try HTTPRequest(.get, "https://example.com/plain")
        let strict = try HTTPRequest(.get, "https://example.com/strict")
        for request in [plain, strict] { _ = try await stack.send(request) }
        isDown.update { $0 = true }
        await clock.advance(by: .seconds(20))
        #expect(try await stack.send(plain).body == Data("stored".utf8))
        let error = await #expect(throws: TransportError.self) { try await stack.send(strict) }
        #expect(error?.code == .unreachable && transport.requests.count == 4)
        // Now the circuit is open, and nothing is sent.
        #expect(try await stack.send(plain).body == Data("stored".utf8))
        let refusal = await #expect(throws: AdmissionError.self) { try await stack.send(strict) }
        #expect(refusal?.code == .circuitOpen && transport.requests.count == 4)
    }
}

import Foundation
import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import SQLiteStore
import TestSupport
import Testing
import Transport

@Suite struct CachingTests {
    private let clock = ManualClock()

    private func cache(_ change: (inout CacheRules) -> Void = { _ in }) -> HTTPCache {
        HTTPCache(rules: CacheRules(change), clock: clock)
    }

    @Test func `three GETs of a fresh resource are one request`() async throws {
        let origin = TestOrigin(["Cache-Control": "max-age=3600"])
        let transport = origin.transport.caching(in: cache())
        let first = try await transport.send(.test())
        #expect(first.cache == "Patchbay; fwd=uri-miss; ttl=3600; stored")
        await clock.advance(by: .seconds(60))
        for _ in 0..<2 {
            let response = try await transport.send(.test())
            #expect(response.text == "1")
            #expect(response.cache == "Patchbay; hit; ttl=3540")
            #expect(response.fields[.age] == "60")
            #expect(response.head.method == .get)
        }
        #expect(origin.count == 1)
        let statistics = transport.cache.statistics
        #expect((statistics.hits, statistics.misses, statistics.stored, statistics.entries) == (2, 1, 1, 1))
    }

    @Test func `a request for an upgrade is sent, though a response is fresh`() async throws {
        let origin = TestOrigin(["Cache-Control": "max-age=3600"])
        let transport = origin.transport.caching(in: cache())
        for _ in 0..<2 { _ = try await transport.send(.test()) }
        #expect(origin.count == 1)
        for _ in 0..<2 { _ = try await transport.send(.test { $0.upgradeProtocol = "websocket" }) }
        #expect(origin.count == 3)
    }

    static let destinations: [@Sendable (inout RequestOptions) -> Void] = [
        { $0.unixSocketPath = "/tmp/a" }, { $0.nameOverrides = ["example.com": "127.0.0.1"] },
    ]

    @Test(arguments: destinations.indices)
    func `a response from another destination than that of the URL is neither stored nor used`(
        index: Int
    ) async throws {
        let change = Self.destinations[index]
        let origin = TestOrigin(["Cache-Control": "max-age=3600"])
        let transport = origin.transport.caching(in: cache())
        #expect(try await transport.send(.test { change(&$0) }).text == "1")
        #expect(try await transport.send(.test()).text == "2")
        #expect(try await transport.send(.test { change(&$0) }).text == "3")
        #expect(try await transport.send(.test()).text == "2")
        let stored = try await transport.send(
            .test {
                change(&$0)
                $0.cachePolicy = .onlyIfCached
            })
        #expect(stored.status == .gatewayTimeout && origin.count == 3)
    }

    @Test func `a stale response is revalidated, and a 304 updates it`() async throws {
        let origin = TestOrigin { request, _ in
            request.fields[.ifNoneMatch] == "\"a\""
                ? .test(request, status: 304, [("ETag", "\"a\""), ("Cache-Control", "max-age=100"), ("X", "2")])
                : .test(request, [("ETag", "\"a\""), ("Cache-Control", "max-age=10"), ("X", "1")], "body")
        }
        let transport = origin.transport.caching(in: cache())
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(20))
        let response = try await transport.send(.test())
        #expect(response.cache == "Patchbay; fwd=stale; fwd-status=304; ttl=100; stored")
        #expect((response.status, response.text, response.fields["X"]) == (.ok, "body", "2"))
        await clock.advance(by: .seconds(50))
        #expect(try await transport.send(.test()).cache == "Patchbay; hit; ttl=50")
        #expect(origin.count == 2)
    }

    @Test func `a 304 with another entity tag causes one full request`() async throws {
        let origin = TestOrigin { request, number in
            request.fields.contains(.ifNoneMatch)
                ? .test(request, status: 304, [("ETag", "\"other\"")])
                : .test(request, [("ETag", "\"a\""), ("Cache-Control", "max-age=10")], "\(number)")
        }
        let transport = origin.transport.caching(in: cache())
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(20))
        #expect(try await transport.send(.test()).text == "3")
        #expect(origin.count == 3)
    }

    @Test(arguments: [
        (HTTPMethod.get, "Patchbay; fwd=stale; fwd-status=304; ttl=10"), (.head, "Patchbay; fwd=stale; ttl=10"),
    ])
    func `a response that is removed while it is revalidated is still delivered, and stays removed`(
        method: HTTPMethod, status: String
    ) async throws {
        let box = Box<HTTPCache>()
        let origin = TestOrigin { request, number in
            if number == 2 { try await box.value?.removeAll() }
            return .test(
                request, status: request.fields.contains(.ifNoneMatch) ? 304 : 200,
                [("ETag", "\"a\""), ("Cache-Control", "max-age=10")], "body")
        }
        let cache = cache()
        box.value = cache
        let transport = origin.transport.caching(in: cache)
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(20))
        let response = try await transport.send(.test(method))
        #expect((response.status, response.text) == (.ok, method == .head ? "" : "body"))
        #expect(response.cache == status)
        #expect(cache.statistics.entries == 0)
    }

    @Test func `a write that ends before an earlier GET keeps its response out of the cache`() async throws {
        let gate = Gate()
        let origin = TestOrigin { request, number in
            if request.method == .get, number == 1 { try await gate.wait() }
            return .test(request, [("Cache-Control", "max-age=60")], "\(number)")
        }
        let transport = origin.transport.caching(in: cache())
        async let early = transport.send(.test())
        try await gate.waitForWaiters(1)
        _ = try await transport.send(.test(.post, body: .text("x")))
        gate.open()
        #expect(try await early.text == "1")
        #expect(try await transport.send(.test()).text == "3")
    }

    @Test(arguments: [("POST", 200, true), ("PUT", 303, true), ("DELETE", 404, false), ("POST", 500, false)])
    func `unsafe methods invalidate`(method: String, status: Int, isInvalidated: Bool) async throws {
        let origin = TestOrigin { request, number in
            request.method == .get
                ? .test(request, [("Cache-Control", "max-age=60")], "\(number)")
                : .test(
                    request, status: status,
                    [("Location", "/b"), ("Content-Location", "https://other.test/c")])
        }
        let transport = origin.transport.caching(in: cache())
        let other = try HTTPRequest(.get, "https://other.test/c")
        for request in [try HTTPRequest.test(), try .test(.get, "/b"), other] { _ = try await transport.send(request) }
        _ = try await transport.send(.test(HTTPMethod(method)))
        #expect(try await transport.send(.test()).head.cacheStatus?.isHit == !isInvalidated)
        #expect(try await transport.send(.test(.get, "/b")).head.cacheStatus?.isHit == !isInvalidated)
        // Only the own origin's.
        #expect(try await transport.send(other).head.cacheStatus?.isHit == true)
    }

    @Test func `policies`() async throws {
        let origin = TestOrigin(["Cache-Control": "max-age=10"])
        let transport = origin.transport.caching(in: cache())
        func send(_ policy: CachePolicy) async throws -> HTTPResponse {
            try await transport.send(.test { $0.cachePolicy = policy })
        }
        let unavailable = try await send(.onlyIfCached)
        #expect((unavailable.status.code, origin.count) == (504, 0))
        #expect(try await send(.noStore).cache == "Patchbay; fwd=bypass")
        #expect(try await send(.preferCached).text == "2")
        await clock.advance(by: .seconds(20))
        #expect(try await send(.preferCached).cache == "Patchbay; hit; ttl=-10")
        #expect(try await send(.onlyIfCached).text == "2")
        #expect(try await send(.reload).text == "3")
        #expect(origin.requests.last?.fields[.cacheControl] == "no-cache")
        #expect(try await send(.standard).text == "3")
    }

    @Test func `onlyIfCached sends nothing in any case`() async throws {
        let origin = TestOrigin(["Cache-Control": "max-age=60"])
        let store = try SQLiteStore(.memory)
        let cache = HTTPCache(in: store, clock: clock)
        let transport = origin.transport.caching(in: cache)
        let stream = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
        for request in [
            try HTTPRequest.test(.post, body: .text("x")), try .test(.query, body: stream),
            try .test(.get, "/a", ["If-Match": "\"a\""]), try .test(.get, "/a", ["Range": "bytes=0-1, 3-4"]),
        ] {
            var request = request
            request.options.cachePolicy = .onlyIfCached
            #expect(try await transport.send(request).status == .gatewayTimeout)
        }
        try store.close()
        #expect(try await transport.send(.test { $0.cachePolicy = .onlyIfCached }).status == .gatewayTimeout)
        var responses = transport.cachedThenNetwork(try .test(.post, body: .text("x"))).makeAsyncIterator()
        while try await responses.next() != nil {}
        #expect(origin.count == 1)
    }

    @Test func `events`() async throws {
        let origin = TestOrigin(["Cache-Control": "max-age=10"])
        let transport = origin.transport.caching(in: cache())
        let miss = EventRecorder()
        _ = try await transport.send(.test(), observer: miss)
        #expect(miss.cacheEvents == ["cache: Patchbay; fwd=uri-miss; ttl=10; stored"])
        let hit = EventRecorder()
        let response = try await transport.send(.test(), observer: hit)
        #expect(hit.cacheEvents == ["cache: Patchbay; hit; ttl=10"])
        #expect(hit.events.contains(.head(response.head)))
        #expect(hit.events.contains(.receivedBytes(1, total: 1)))
        let streamed = EventRecorder()
        let stream = try await transport.stream(.test(.get, "/b"), observer: streamed)
        _ = try await stream.body.collect()
        #expect(streamed.cacheEvents == ["cache: Patchbay; fwd=uri-miss; ttl=10; stored"])
    }

    @Test func `a stored body also obeys the limit of a request`() async throws {
        let transport = TestOrigin { request, _ in .test(request, [("Cache-Control", "max-age=10")], "0123456789") }
            .transport.caching(in: cache())
        _ = try await transport.send(.test())
        var small = try HTTPRequest.test()
        small.options.maximumResponseBytes = 5
        await #expect(throws: TransportError.self) { try await transport.send(small) }
        #expect(try await transport.send(.test()).text == "0123456789")
    }

    @Test func `a clock that was set back makes responses stale`() async throws {
        let now = Box<Double>()
        now.value = 1_000_000
        let origin = TestOrigin(["Cache-Control": "max-age=60"])
        let transport = origin.transport.caching(in: HTTPCache(now: { now.value ?? 0 }))
        _ = try await transport.send(.test())
        now.value = 900_000
        #expect(try await transport.send(.test()).text == "2")
    }

    @Test func `HEAD is answered from a stored GET, and updates or removes it`() async throws {
        let origin = TestOrigin { request, number in
            let tag = number < 3 ? "\"a\"" : "\"b\""
            return .test(request, [("ETag", tag), ("Cache-Control", "max-age=10"), ("N", "\(number)")], "body")
        }
        let transport = origin.transport.caching(in: cache())
        _ = try await transport.send(.test())
        let head = try await transport.send(.test(.head))
        #expect((head.text, head.head.cacheStatus?.isHit, head.fields["N"]) == ("", true, "1"))
        await clock.advance(by: .seconds(20))
        #expect(try await transport.send(.test(.head)).cache == "Patchbay; fwd=stale; ttl=10; stored")
        let updated = try await transport.send(.test())
        #expect((updated.text, updated.fields["N"], updated.head.cacheStatus?.isHit) == ("body", "2", true))
        await clock.advance(by: .seconds(20))
        _ = try await transport.send(.test(.head))
        #expect(transport.cache.statistics.entries == 0)
    }

    @Test func `QUERY is keyed by its content`() async throws {
        let origin = TestOrigin(["Cache-Control": "max-age=60"])
        let transport = origin.transport.caching(in: cache())
        func query(_ text: String) throws -> HTTPRequest { try .test(.query, body: .text(text)) }
        #expect(try await transport.send(query("a")).text == "1")
        #expect(try await transport.send(query("b")).text == "2")
        #expect(try await transport.send(query("a")).text == "1")
        #expect(try await transport.send(.test()).text == "3")
        // A write of the resource changes the results too.
        _ = try await transport.send(.test(.put, body: .text("x")))
        #expect(try await transport.send(query("a")).text == "5")
    }

    @Test func `a 304 hands on its cookies, which are not stored`() async throws {
        let origin = TestOrigin { request, number in
            let fields = [("ETag", "\"a\""), ("Cache-Control", "max-age=10"), ("Set-Cookie", "sid=\(number)")]
            return .test(request, status: request.fields.contains(.ifNoneMatch) ? 304 : 200, fields, "body")
        }
        let transport = origin.transport.caching(in: cache())
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(20))
        #expect(try await transport.send(.test()).fields[.setCookie] == "sid=2")
        #expect(try await transport.send(.test()).fields[.setCookie] == nil)
    }

    @Test(arguments: [503, 401, 404]) func `HEAD with an error removes only what is gone`(status: Int) async throws {
        let origin = TestOrigin { request, number in
            request.method == .head
                ? .test(request, status: status) : .test(request, [("Cache-Control", "max-age=10")], "\(number)")
        }
        let transport = origin.transport.caching(in: cache())
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(20))
        _ = try await transport.send(.test(.head))
        #expect(transport.cache.statistics.entries == (status == 404 ? 0 : 1))
    }

    @Test(arguments: [401, 407, 412, 416]) func `what is about one request only is not stored`(status: Int) async throws
    {
        let origin = TestOrigin { request, _ in .test(request, status: status, [("Cache-Control", "max-age=60")]) }
        let transport = origin.transport.caching(in: cache())
        for _ in 0..<2 { _ = try await transport.send(.test()) }
        #expect(origin.count == 2)
    }

    @Test func `a redirect with the code of a sign-in is not stored`() async throws {
        let origin = TestOrigin { request, number in
            let targets = ["/code": "b?code=5f2c", "/key": "Sessions('5f2c')", "/number": "Sessions(17)?key1=2"]
            let target = targets[request.url.path] ?? "b?page=2"
            return .test(
                request, status: 301, [("Location", "https://api.test/\(target)"), ("Cache-Control", "max-age=60")])
        }
        let transport = origin.transport.caching(in: cache())
        for path in ["/code", "/key", "/number", "/page"] {
            for _ in 0..<2 { _ = try await transport.send(.test(.get, path)) }
        }
        let paths = origin.requests.map(\.url.path)
        #expect(paths == ["/code", "/code", "/key", "/key", "/number", "/page"])
    }

    @Test func `a cancelled call, and an invalid request, get no stored response`() async throws {
        let transport = TestOrigin(["Cache-Control": "max-age=60"]).transport.caching(in: cache())
        _ = try await transport.send(.test())
        let gate = Gate()
        let task = Task {
            try? await gate.wait()
            return try await transport.send(.test())
        }
        task.cancel()
        gate.open()
        await #expect(throws: TransportError.self) { try await task.value }
        var request = try HTTPRequest.test()
        request.fields["X"] = "a\nb"
        let invalid = request
        await #expect(throws: HTTPMessageError.self) { try await transport.send(invalid) }
    }

    @Test func `a range that is not there does not become the response for the whole`() async throws {
        let origin = TestOrigin { request, number in
            .test(request, status: request.fields.contains(.range) ? 404 : 200, [("Cache-Control", "max-age=60")])
        }
        let transport = origin.transport.caching(in: cache())
        _ = try await transport.send(.test(.get, "/a", ["Range": "bytes=5-"]))
        #expect(try await transport.send(.test()).status == .ok)
    }

    @Test func `a write whose task is cancelled still removes what is stored`() async throws {
        let store = try SQLiteStore(.memory)
        let box = Box<Task<HTTPResponse, any Error>>()
        let origin = TestOrigin { request, number in
            if request.method == .post { box.value?.cancel() }
            return HTTPResponse.test(request, [("Cache-Control", "max-age=60")], "\(number)")
        }
        // Not the fake, which notices the cancellation itself.
        let transport = try await Uncancelled(base: origin).caching(in: HTTPCache(in: store).opened())
        _ = try await transport.send(.test())
        await transport.cache.waitUntilIdle()
        let gate = Gate()
        let task = Task {
            try await gate.wait()
            return try await transport.send(.test(.post, body: .text("x")))
        }
        box.value = task
        gate.open()
        _ = try await task.value
        #expect(try await transport.send(.test()).text == "3")
    }

    @Test func `what can be answered by the server only is passed on`() async throws {
        let origin = TestOrigin(["Cache-Control": "max-age=60"])
        let transport = origin.transport.caching(in: cache())
        _ = try await transport.send(.test())
        for fields: KeyValuePairs in [
            ["If-Match": "\"a\""], ["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"],
            ["Range": "bytes=0-1, 3-4"], ["Range": "lines=1-2"], ["Cache-Control": "no-store"],
        ] {
            #expect(try await transport.send(.test(.get, "/a", fields)).cache == "Patchbay; fwd=bypass")
        }
    }
}

/// Responds also in a cancelled task, as a network does that was faster.
private struct Uncancelled: Transport {
    let base: TestOrigin

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await base.response(to: request)
    }
}

/// A value that a closure reads later.
final class Box<Value: Sendable>: Sendable {
    private let content = Watched<Value?>(nil)
    var value: Value? {
        get { content.value }
        set { content.update { $0 = newValue } }
    }
}

import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import HTTPCaching

@Suite(.needsSlot) struct CacheCoalescingTests {
    private let clock = ManualClock()
    private let gate = Gate()

    @Test func `concurrent misses of one key are one request`() async throws {
        let origin = TestOrigin { [gate] request, number in
            try await gate.wait()
            return .test(request, [("Cache-Control", "max-age=60")], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        let request = try HTTPRequest.test()
        let responses = try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            group.addTask { try await transport.send(request) }
            try await gate.waitForWaiters(1)
            for _ in 0..<9 { group.addTask { try await transport.send(request) } }
            try await transport.cache.waitForFollowers(9)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(origin.count == 1)
        #expect(responses.allSatisfy { $0.text == "1" })
        #expect(responses.count { $0.cache == "Patchbay; fwd=uri-miss; ttl=60; collapsed" } == 9)
        #expect(transport.cache.statistics.collapsed == 9)
    }

    @Test func `a stream, and a call with a total timeout, do not wait for another call`() async throws {
        let origin = TestOrigin { [gate] request, number in
            try await gate.wait()
            return .test(request, [("Cache-Control", "max-age=60")], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        let leader = Task { try await transport.send(.test()).text }
        try await gate.waitForWaiters(1)
        let timed = Task { try await transport.send(.test { $0.timeouts.total = .seconds(60) }).text }
        try await waits(transport.cache, origin, 2)
        let stream = Task { try await transport.stream(.test()).body.collect() }
        try await waits(transport.cache, origin, 3)
        gate.open()
        #expect(try await [leader.value, timed.value] == ["1", "2"])
        #expect(try await stream.value == Data("3".utf8))
    }

    /// Waits for a request, or for a call that waits for that of another one, which is an issue.
    private func waits(_ cache: HTTPCache, _ origin: TestOrigin, _ requestCount: Int) async throws {
        try await eventually("requests, or calls that wait in the cache") {
            origin.count == requestCount || cache.followerCount > 0
        }
        #expect(cache.followerCount == 0)
    }

    @Test func `a response that may not be stored is for one call only`() async throws {
        let origin = TestOrigin { [gate] request, number in
            if number == 1 { try await gate.wait() }
            return .test(request, [("Cache-Control", "no-store")], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        async let first = transport.send(.test())
        try await gate.waitForWaiters(1)
        async let second = transport.send(.test())
        try await transport.cache.waitForFollowers(1)
        gate.open()
        let texts = Set([try await first.text, try await second.text])
        #expect(texts == ["1", "2"])
    }

    @Test func `another call takes over when the one that sends is cancelled`() async throws {
        let origin = TestOrigin { [gate] request, number in
            if number == 1 { try await gate.wait() }
            return .test(request, [("Cache-Control", "max-age=60")], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        let leader = Task { try await transport.send(.test()) }
        try await gate.waitForWaiters(1)
        async let follower = transport.send(.test())
        try await transport.cache.waitForFollowers(1)
        leader.cancel()
        #expect(try await follower.text == "2")
        await #expect(throws: TransportError.self) { try await leader.value }
    }

    @Test func `a follower that is cancelled disturbs no other`() async throws {
        let origin = TestOrigin { [gate] request, number in
            try await gate.wait()
            return .test(request, [("Cache-Control", "max-age=60")], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        async let leader = transport.send(.test())
        try await gate.waitForWaiters(1)
        let follower = Task { try await transport.send(.test()) }
        try await transport.cache.waitForFollowers(1)
        follower.cancel()
        await #expect(throws: TransportError.self) { try await follower.value }
        gate.open()
        #expect(try await leader.text == "1")
    }

    @Test func `an error is that of all calls with the same fields and options`() async throws {
        let origin = TestOrigin { [gate] request, number in
            if number == 1 {
                try await gate.wait()
                throw TransportError(.connectionRefused, "Connection refused.", request: request)
            }
            return .test(request, [("Cache-Control", "max-age=60")], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        let leader = Task { try await transport.send(.test()) }
        try await gate.waitForWaiters(1)
        let same = Task { try await transport.send(.test()) }
        let other = Task { try await transport.send(.test(.get, "/a", ["Accept": "text/plain"])) }
        try await transport.cache.waitForFollowers(2)
        gate.open()
        await #expect(throws: TransportError.self) { try await leader.value }
        await #expect(throws: TransportError.self) { try await same.value }
        #expect(try await other.value.text == "2")
    }

    @Test func `a stale response is served while one request revalidates it`() async throws {
        let origin = TestOrigin { [gate] request, number in
            if number == 2 { try await gate.wait() }
            return .test(
                request, [("Cache-Control", "max-age=10, stale-while-revalidate=30"), ("ETag", "\"\(number)\"")],
                "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(20))
        for _ in 0..<5 { #expect(try await transport.send(.test()).cache == "Patchbay; hit; ttl=-10") }
        try await gate.waitForWaiters(1)
        gate.open()
        await transport.cache.waitUntilIdle()
        #expect(origin.count == 2)
        #expect(origin.requests.last?.fields[.ifNoneMatch] == "\"1\"")
        #expect(origin.requests.map(\.options.attemptReason) == [.initial, .revalidation])
        #expect(try await transport.send(.test()).text == "2")
        await clock.advance(by: .seconds(41))
        #expect(try await transport.send(.test()).text == "3")
    }

    @Test func `a failed revalidation in the background leaves the stale response`() async throws {
        let origin = TestOrigin { request, number in
            if number == 2 { throw TransportError(.connectionLost, "Connection lost.", request: request) }
            return .test(request, [("Cache-Control", "max-age=10, stale-while-revalidate=30")], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(20))
        #expect(try await transport.send(.test()).text == "1")
        await transport.cache.waitUntilIdle()
        #expect(try await transport.send(.test()).text == "1")
        await transport.cache.waitUntilIdle()
        #expect(try await transport.send(.test()).text == "3")
    }

    @Test func `a stale response replaces errors by directive or option`() async throws {
        let isDown = Box<Bool>()
        let origin = TestOrigin { request, number in
            if isDown.value ?? false {
                if request.url.path == "/500" { return .test(request, status: 503) }
                throw TransportError(.timedOut, "Timed out.", request: request)
            }
            let sie = request.url.path == "/plain" ? "" : ", stale-if-error=60"
            let strict = request.url.path == "/strict" ? ", must-revalidate" : ""
            return .test(request, [("Cache-Control", "max-age=10\(sie)\(strict)")], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        let paths = ["/a", "/500", "/plain", "/strict"]
        for path in paths { _ = try await transport.send(.test(.get, path)) }
        isDown.value = true
        await clock.advance(by: .seconds(20))
        #expect(try await transport.send(.test()).cache == "Patchbay; fwd=stale; ttl=-10")
        #expect(try await transport.send(.test(.get, "/500")).cache == "Patchbay; fwd=stale; fwd-status=503; ttl=-10")
        await #expect(throws: TransportError.self) { try await transport.send(.test(.get, "/plain")) }
        #expect(try await transport.send(.test(.get, "/plain") { $0.staleIfError = .seconds(60) }).text == "3")
        await #expect(throws: TransportError.self) {
            try await transport.send(.test(.get, "/strict") { $0.staleIfError = .seconds(60) })
        }
        await clock.advance(by: .seconds(60))
        await #expect(throws: TransportError.self) { try await transport.send(.test()) }
        #expect(transport.cache.statistics.usedInPlaceOfErrors == 3)
    }
}

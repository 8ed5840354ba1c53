import Foundation
import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@Suite struct CachedThenNetworkTests {
    private let clock = ManualClock()

    @Test func `the stored response comes first, then that of the server`() async throws {
        let origin = TestOrigin { request, number in
            if number == 3 { throw TransportError(.unreachable, "No network.", request: request) }
            return .test(request, [("Cache-Control", "max-age=10"), ("ETag", "\"\(number)\"")], "\(number)")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        #expect(try await texts(transport) == ["1"])
        // A fresh one is enough.
        #expect(try await texts(transport) == ["1"])
        await clock.advance(by: .seconds(20))
        #expect(try await texts(transport) == ["1", "2"])
        await clock.advance(by: .seconds(20))
        var iterator = transport.cachedThenNetwork(try .test()).makeAsyncIterator()
        #expect(try await iterator.next()?.text == "2")
        await #expect(throws: TransportError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func `a response in its last second is fresh, and the only one`() async throws {
        let transport = TestOrigin(["Cache-Control": "max-age=1"]).transport.caching(in: HTTPCache(clock: clock))
        _ = try await transport.send(.test())
        await clock.advance(by: .milliseconds(500))
        #expect(try await transport.send(.test()).cache == "Patchbay; hit; ttl=1")
        #expect(try await texts(transport) == ["1"])
        await clock.advance(by: .milliseconds(500))
        #expect(try await texts(transport) == ["1", "2"])
    }

    @Test(arguments: [(CachePolicy.noStore, "1"), (.reload, "2")])
    func `a request that reads no stored response is sent once, with its policy`(
        policy: CachePolicy, stored: String
    ) async throws {
        let transport = TestOrigin(["Cache-Control": "max-age=10"]).transport.caching(in: HTTPCache(clock: clock))
        _ = try await transport.send(.test())
        #expect(try await texts(transport, .test { $0.cachePolicy = policy }) == ["2"])
        #expect(try await transport.send(.test()).text == stored)
    }

    @Test(arguments: [(CachePolicy.onlyIfCached, ""), (.preferCached, "1")])
    func `a request that prefers a stored response has it alone, also a stale one`(
        policy: CachePolicy, first: String
    ) async throws {
        let origin = TestOrigin(["Cache-Control": "max-age=10"])
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        let request = try HTTPRequest.test { $0.cachePolicy = policy }
        #expect(try await texts(transport, request) == [first])
        _ = try await transport.send(.test())
        await clock.advance(by: .seconds(20))
        #expect(try await texts(transport, request) == ["1"])
        #expect(origin.count == 1)
    }

    @Test func `a fresh response to which a stale redirect has led is not the only one`() async throws {
        let target = Watched("/v1")
        let origin = TestOrigin { request, _ in
            guard request.url.path == "/latest" else {
                return .test(request, [("Cache-Control", "max-age=1000")], request.url.path)
            }
            return .test(request, status: 302, [("Cache-Control", "max-age=10"), ("Location", target.value)])
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock)).redirecting()
        #expect(try await texts(transport, .test(.get, "/latest")) == ["/v1"])
        target.update { $0 = "/v2" }
        // Both are fresh.
        #expect(try await texts(transport, .test(.get, "/latest")) == ["/v1"])
        await clock.advance(by: .seconds(20))
        #expect(try await texts(transport, .test(.get, "/latest")) == ["/v1", "/v2"])
    }

    private func texts(_ transport: some Transport) async throws -> [String] {
        try await texts(transport, .test())
    }

    private func texts(_ transport: some Transport, _ request: HTTPRequest) async throws -> [String] {
        var texts: [String] = []
        for try await response in transport.cachedThenNetwork(request) { texts.append(response.text) }
        return texts
    }
}

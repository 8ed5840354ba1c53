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
        var texts: [String] = []
        let request = try HTTPRequest.test { $0.cachePolicy = policy }
        for try await response in transport.cachedThenNetwork(request) { texts.append(response.text) }
        #expect(texts == ["2"])
        #expect(try await transport.send(.test()).text == stored)
    }

    private func texts(_ transport: some Transport) async throws -> [String] {
        var texts: [String] = []
        for try await response in transport.cachedThenNetwork(try .test()) { texts.append(response.text) }
        return texts
    }
}

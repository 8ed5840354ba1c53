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
        func texts() async throws -> [String] {
            var texts: [String] = []
            for try await response in transport.cachedThenNetwork(try .test()) { texts.append(response.text) }
            return texts
        }
        #expect(try await texts() == ["1"])
        // A fresh one is enough.
        #expect(try await texts() == ["1"])
        await clock.advance(by: .seconds(20))
        #expect(try await texts() == ["1", "2"])
        await clock.advance(by: .seconds(20))
        var iterator = transport.cachedThenNetwork(try .test()).makeAsyncIterator()
        #expect(try await iterator.next()?.text == "2")
        await #expect(throws: TransportError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }
}

import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import Testing
import Transport

@Suite struct CoalescingStreamingTests {
    @Test func `streams are not shared`() async throws {
        let base = ScriptedTransport([], then: .text("body"))
        let transport = Coalescing(base: base)
        let (first, second) = (try await transport.stream(request()), try await transport.stream(request()))
        #expect(base.requests.count == 2 && transport.inFlightCount == 0)
        #expect(try await first.collect().body == Data("body".utf8))
        #expect(try await second.collect().body == Data("body".utf8))
    }
}

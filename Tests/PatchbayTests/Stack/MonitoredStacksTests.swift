import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

@Suite(.needsSlot) struct MonitoredStacksTests {
    @Test func `the same monitor twice, also in a stack over another, counts each request once`() async throws {
        let metrics = MemoryMetrics()
        let monitor = EventMonitor([.metrics(metrics)])
        let base = Stack(over: ScriptedTransport([], then: .text("x"))).observing(by: monitor)
        for stack in [base.observing(by: monitor), Stack(over: base).retrying(.standard).observing(by: monitor)] {
            _ = try await stack.send(HTTPRequest(.get, "https://example.com/"))
        }
        await monitor.flush()
        #expect(metrics.series(of: .requestDuration).map(\.count) == [2])
    }
}

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

    @Test func `a response from the cache of a stack below another with the monitor is no request`() async throws {
        let metrics = MemoryMetrics()
        let monitor = EventMonitor([.metrics(metrics)])
        let server = ScriptedTransport { $0.response(fields: try HTTPFields(["Cache-Control": "max-age=60"])) }
        let stack = Stack(over: Stack(over: server).caching().observing(by: monitor)).observing(by: monitor)
        for _ in 0..<3 { _ = try await stack.send(HTTPRequest(.get, "https://example.com/")) }
        await monitor.flush()
        #expect(server.requests.count == 1 && metrics.series(of: .requestDuration).map(\.count) == [1])
    }
    @Test func `the request after a stored redirect is counted, also in a stack without a monitor`() async throws {
        let metrics = MemoryMetrics()
        let monitor = EventMonitor([.metrics(metrics)])
        let server = ScriptedTransport { request in
            guard request.url.path() == "/latest" else { return request.response(text: "x") }
            return request.response(
                .movedPermanently, fields: try HTTPFields(["Cache-Control": "max-age=60", "Location": "/v2"]))
        }
        let stack = Stack(over: Stack(over: server).redirecting().caching()).observing(by: monitor)
        for _ in 0..<2 { _ = try await stack.send(HTTPRequest(.get, "https://example.com/latest")) }
        await monitor.flush()
        #expect(server.requests.map { $0.url.path() } == ["/latest", "/v2", "/v2"])
        #expect(metrics.series(of: .requestDuration).map(\.count) == [2])
    }
}

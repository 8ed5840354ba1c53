import Connectivity
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct RequestQueueNetworkTests {
    @Test func `1: a queue starts nothing while there is no network, by a reason of its own`() async throws {
        let network = ManualNetworkMonitor(.unreachable)
        let queue = RequestQueue()
        let token = queue.pauseWhenOffline(network)
        let base = ScriptedTransport([.status(.ok), .status(.ok)])
        let transport = base.queued(in: queue)
        let request = try HTTPRequest(.get, "http://example.com/")
        queue.pause()
        async let first = transport.send(request)
        _ = try await eventually("the request waits") { queue.waitingCount == 1 }
        network.set(.unknown)
        #expect(queue.waitingCount == 1 && base.requests.isEmpty)
        queue.resume()
        #expect(try await first.status == .ok)
        network.set(.unreachable)
        async let second = transport.send(request)
        _ = try await eventually("the request waits") { queue.waitingCount == 1 }
        token.cancel()
        #expect(try await second.status == .ok)
        network.set(.unreachable)
        #expect(queue.waitingCount == 0)
    }
}

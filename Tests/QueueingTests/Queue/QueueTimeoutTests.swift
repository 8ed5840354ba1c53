import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Queueing

@Suite(.needsSlot) struct QueueTimeoutTests {
    /// Timeouts of a request that waits behind another one, and which of them ends it.
    @Test(arguments: [
        (Timeouts(queue: .seconds(3)), Timeouts.Phase.queue, 3),
        (Timeouts(total: .seconds(5), queue: .seconds(3)), .queue, 3),
        (Timeouts(total: .seconds(2), queue: .seconds(3)), .total, 2),
        (Timeouts(total: .seconds(2)), .total, 2),
    ])
    func `the error says which timeout ended the wait`(timeouts: Timeouts, phase: Timeouts.Phase, seconds: Int)
        async throws
    {
        let clock = ManualClock()
        let queue = RequestQueue(limits: QueueLimits(maximumConcurrent: 1), clock: clock)
        let transport = Queued(base: ScriptedTransport([], then: .never), queue: queue)
        let running = Task { try await transport.send(request()) }
        try await transport.base.requests(count: 1)
        var second = try request()
        second.options.timeouts = timeouts
        let waiting = Task { [second] in try await transport.send(second) }
        try await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(seconds))
        let error = await #expect(throws: AdmissionError.self) { try await waiting.value }
        #expect(error?.code == .expired && error?.phase == phase && error?.timeout == .seconds(seconds))
        running.cancel()
        _ = await running.result
    }
}

import Coordination
import PatchbayTestKit
import TestSupport
import Testing

@testable import Authentication
@testable import MobileFirst

@Suite(.needsSlot) struct AuthorizationQueueTests {
    @Test func `M21: a lease that comes too late for its refresh is passed on`() async throws {
        let queue = AuthorizationQueue()
        // Abandoned while it waited.
        let demand = RefreshDemand { isInterruptible in isInterruptible }
        await #expect(throws: CancellationError.self) {
            try await RunningWork.run(for: queue, context: demand) { try await queue.run(.token) {} }
        }
        #expect(try await queue.run(.token) { "runs" } == "runs")
    }

    @Test func `M24: the end of a session cancels the question of the job that runs`() async throws {
        let queue = AuthorizationQueue()
        let asks = Gate()
        let never = Gate()
        let job = Task {
            try await queue.run(.token) {
                try await AuthorizationQueue.ask {
                    asks.open()
                    try await never.wait()
                }
            }
        }
        try await asks.wait()
        queue.finish(queue.endSession {})
        let error = await #expect(throws: WLError.self) { try await job.value }
        #expect(error?.code == .cancelled)
        #expect(try await queue.run(.token) { "runs" } == "runs")
    }
}

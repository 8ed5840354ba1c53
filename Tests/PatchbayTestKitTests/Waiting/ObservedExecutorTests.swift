import PatchbayTestKit
import TestSupport
import Testing

@Suite(.needsSlot) struct ObservedExecutorTests {
    @Test func `is idle when all its tasks have suspended, and again when they have ended`() async throws {
        let executor = ObservedExecutor()
        try await executor.waitUntilIdle()
        let gate = Gate()
        let done = Watched<[Int]>([])
        let tasks = (0..<20).map { number in
            Task(executorPreference: executor) {
                // A child task runs on the executor too.
                async let value = { number }()
                let result = await value
                try await gate.wait()
                done.update { $0.append(result) }
            }
        }
        try await executor.waitUntilIdle()
        #expect(gate.waitCount == 20 && done.value.isEmpty)
        gate.open()
        try await executor.waitUntilIdle()
        #expect(done.value.sorted() == Array(0..<20))
        for task in tasks { try await task.value }
    }
}

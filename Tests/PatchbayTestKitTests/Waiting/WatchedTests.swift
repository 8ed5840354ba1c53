import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@Suite(.needsSlot) struct WatchedTests {
    @Test func `a condition that looks at more than the value is looked at once for each change`() async throws {
        let (executor, watched) = (ObservedExecutor(), Watched(0))
        let looks = Atomic(0)
        let first = Task(executorPreference: executor) { try await watched.wait { $0 > 0 } }
        let second = Task(executorPreference: executor) {
            try await watched.wait { $0 > 0 && looks.add(1, ordering: .relaxed).newValue >= 2 }
        }
        try await executor.waitUntilIdle()
        watched.update { $0 = 1 }
        #expect(try await first.value == 1)
        watched.update { $0 = 2 }
        #expect(try await second.value == 2)
    }
}

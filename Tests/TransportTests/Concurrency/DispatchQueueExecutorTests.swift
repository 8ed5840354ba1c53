import Dispatch
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct DispatchQueueExecutorTests {
    private static let key = DispatchSpecificKey<Int>()

    @Test func `tasks and their children run on the queue`() async {
        let queue = DispatchQueue(label: "test")
        queue.setSpecific(key: Self.key, value: 7)
        let values = await Task(executorPreference: DispatchQueueExecutor(queue)) {
            let first = DispatchQueue.getSpecific(key: Self.key)
            await Task.yield()
            async let child = DispatchQueue.getSpecific(key: Self.key)
            return [first, await child, DispatchQueue.getSpecific(key: Self.key)]
        }.value
        #expect(values == [7, 7, 7])
    }
}

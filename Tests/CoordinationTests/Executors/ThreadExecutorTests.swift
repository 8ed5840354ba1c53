import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Coordination

@Suite(.needsSlot) struct ThreadExecutorTests {
    /// Marks the threads that run an executor. A thread name is not reliable: Foundation may lose one that a thread
    /// sets for itself as it starts.
    private static let mark = "ThreadExecutorTests"

    private static func isMine() -> Bool { Thread.current.threadDictionary[mark] != nil }

    /// True when a task and its child run on a thread of an executor.
    private static func areMine() async -> [Bool] {
        let first = isMine()
        await Task.yield()
        async let child = isMine()
        return [first, await child, isMine()]
    }

    /// Runs an executor on a new thread, and signals when that has ended.
    private func start(_ executor: ThreadExecutor) -> DispatchSemaphore {
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            Thread.current.threadDictionary[Self.mark] = true
            executor.run()
            end.signal()
        }
        return end
    }

    @Test func `tasks and their children run on its thread`() async {
        let executor = ThreadExecutor()
        let end = start(executor)
        let areMine = await Task(executorPreference: executor) { await Self.areMine() }.value
        #expect(areMine == [true, true, true])
        executor.finish()
        #expect(blockingWait(for: end) == .success)
    }

    @Test func `jobs enqueued before finish run; later ones run on another thread`() async {
        let executor = ThreadExecutor()
        let tasks = (0..<100).map { number in Task(executorPreference: executor) { (number, Self.isMine()) } }
        executor.finish()
        #expect(blockingWait(for: start(executor)) == .success)
        for (number, task) in tasks.enumerated() {
            let (value, isMine) = await task.value
            #expect(value == number && isMine)
        }
        let later = await Task(executorPreference: executor) { await Self.areMine() }.value
        #expect(!later.contains(true))
    }
}

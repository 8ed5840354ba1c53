import Foundation
import Synchronization
import Testing

@testable import Transport

@Suite("ThreadExecutor", .timeLimit(.minutes(1))) struct ThreadExecutorTests {
    private static func name() -> String? { Thread.current.name }

    /// The threads on which a task and its child run, by their names.
    private static func names() async -> [String?] {
        let first = name()
        await Task.yield()
        async let child = name()
        return [first, await child, name()]
    }

    /// Runs an executor on a thread of a name, and tells when that has ended.
    private func start(_ executor: ThreadExecutor) -> DispatchSemaphore {
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            Thread.current.name = "mine"
            executor.run()
            end.signal()
        }
        return end
    }

    @Test("tasks run on its thread, their children too") func thread() async {
        let executor = ThreadExecutor()
        let end = start(executor)
        let names = await Task(executorPreference: executor) { await Self.names() }.value
        #expect(names == ["mine", "mine", "mine"])
        executor.finish()
        #expect(blockingWait(for: end) == .success)
    }

    @Test("what came before the end is run; what comes later runs elsewhere") func end() async {
        let executor = ThreadExecutor()
        let tasks = (0..<100).map { number in Task(executorPreference: executor) { (number, Self.name()) } }
        executor.finish()
        #expect(blockingWait(for: start(executor)) == .success)
        for (number, task) in tasks.enumerated() {
            let (value, name) = await task.value
            #expect(value == number && name == "mine")
        }
        let later = await Task(executorPreference: executor) { await Self.names() }.value
        #expect(!later.contains("mine"))
    }
}

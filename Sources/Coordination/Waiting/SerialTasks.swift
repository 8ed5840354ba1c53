import Synchronization

/// Runs asynchronous work one at a time, first in, first out, in tasks that no caller's cancellation cancels.
package final class SerialTasks: Sendable {
    private let last = Mutex<Task<Void, Never>?>(nil)

    package init() {}

    /// Runs work after all earlier work.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let task = last.withLock { last in
            let previous = last
            let task = Task(executorPreference: WorkerThreads.calls) {
                await previous?.value
                return try await work()
            }
            last = Task(executorPreference: WorkerThreads.calls) { _ = await task.result }
            return task
        }
        return try await task.value
    }
}

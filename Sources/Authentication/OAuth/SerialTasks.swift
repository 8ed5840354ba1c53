import Dispatch
import Synchronization
import Transport

/// Runs asynchronous work one at a time, first in, first out, in tasks that no caller's cancellation cancels.
final class SerialTasks: Sendable {
    private static let executor = DispatchQueueExecutor(
        DispatchQueue(label: "patchbay.authentication.serial", attributes: .concurrent))

    private let last = Mutex<Task<Void, Never>?>(nil)

    /// Runs work after all earlier work.
    func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let task = last.withLock { last in
            let previous = last
            let task = Task(executorPreference: Self.executor) {
                await previous?.value
                return try await work()
            }
            last = Task(executorPreference: Self.executor) { _ = await task.result }
            return task
        }
        return try await task.value
    }
}

import Dispatch
import Transport

/// Runs blocking work, such as opening a database, outside the cooperative pool.
enum BlockingWork {
    private static let executor = DispatchQueueExecutor(
        DispatchQueue(label: "patchbay.hyperhive.blocking", attributes: .concurrent))

    static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withTaskExecutorPreference(executor) { try await perform(work) }
    }

    // `@concurrent`, so that it runs on the task's preferred executor, not that of the caller's actor.
    @concurrent private static func perform<Result: Sendable>(
        _ work: @Sendable () throws -> Result
    ) async throws -> Result {
        try work()
    }
}

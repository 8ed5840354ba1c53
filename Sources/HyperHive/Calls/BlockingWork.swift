import Coordination

/// Executor for work that may block, and that blocked callers wait for.
///
/// It uses threads of its own, neither the cooperative pool nor the main thread. They are many: an app's opener of a
/// database may block them too, and must not stop the loads of others.
enum BlockingWork {
    // Not on Dispatch: blocked callers, such as many calls of `deltaStream` in a global queue, may use up its threads.
    private static let executor = WorkerThreads(count: 64, name: "patchbay.hive")

    static func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try await executor.runChildTask(work)
    }
}

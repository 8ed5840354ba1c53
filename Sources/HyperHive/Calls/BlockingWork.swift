import Coordination

/// Executor for work that blocks, and for work that blocked callers wait for.
///
/// It uses threads of its own, neither the cooperative pool nor the main thread.
enum BlockingWork {
    // Not on Dispatch: blocked callers, such as many calls of `deltaStream` in a global queue, may use up its threads.
    private static let executor = WorkerThreads(count: 8, name: "patchbay.hive")

    static func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        // A child task begins on the executor. Not so an async closure in `withTaskExecutorPreference`: the compiler
        // (6.3) omits the switch in front of its call.
        try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask(executorPreference: executor) { try await work() }
            for try await result in group { return result }
            throw CancellationError()
        }
    }
}

import Coordination
import Synchronization
import Transport

/// A bridge from blocking calls to asynchronous code.
public enum Blocking {
    /// Runs asynchronous work and blocks the calling thread until it finishes.
    ///
    /// The work runs on the calling thread. Any number of concurrent calls, from threads, queues and tasks, therefore
    /// needs no further thread of the cooperative pool.
    ///
    /// The work must not wait for code that needs a pool thread, or calls from inside tasks can deadlock. Such code is
    /// the main actor while the main thread is blocked, an actor that ordinary tasks use at the same time, and
    /// unstructured tasks. `Task.sleep` may be late. The package's transports need no pool thread.
    /// - Throws: the errors of `work`. If the calling task is cancelled already, the work starts cancelled.
    @available(*, noasync, message: "Blocking.run blocks its thread; await the work instead.")
    public static func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let executor = ThreadExecutor()
        let result = Mutex<Result<Value, any Error>>(.failure(CancellationError()))
        let task = Task(executorPreference: executor) {
            let outcome: Result<Value, any Error>
            do {
                outcome = .success(try await work())
            } catch {
                outcome = .failure(error)
            }
            result.withLock { $0 = outcome }
            executor.finish()
        }
        if Task.isCancelled { task.cancel() }
        executor.run()
        return try result.withLock(\.self).get()
    }
}

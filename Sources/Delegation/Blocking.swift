import Synchronization
import Transport

/// The bridge from calls that wait to code that awaits.
public enum Blocking {
    /// Runs asynchronous work and blocks the calling thread until it is done.
    ///
    /// The work runs on the calling thread itself, which would only wait otherwise: any number of blocking calls can
    /// be made at once, from threads, queues and tasks alike, without taking a thread of the cooperative pool away
    /// from the work that they wait for.
    ///
    /// What the work waits for must not need such a thread either, or calls from inside tasks may lock each other out:
    /// the main actor, when the main thread is the one that waits; an actor that ordinary tasks use at the same time;
    /// unstructured tasks. `Task.sleep` may be late. Transports need no thread of the pool.
    /// - Throws: what `work` throws. When the calling task is cancelled already, the work starts cancelled.
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

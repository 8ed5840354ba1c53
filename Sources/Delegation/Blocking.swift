import Dispatch
import Synchronization

/// The bridge from calls that wait to code that awaits.
public enum Blocking {
    /// Runs asynchronous work and blocks the calling thread until it is done.
    ///
    /// The work runs on the calling thread itself, which would only wait otherwise: any number of blocking calls can
    /// be made at once, from threads, queues and tasks alike, without taking a thread of the cooperative pool away
    /// from the work that they wait for. Work that needs the main actor must not be awaited from the main thread, and work
    /// that sleeps with `Task.sleep` is woken late, or on some systems never, when blocked callers hold every thread of
    /// the pool; the deadlines of a transport are kept all the same.
    /// - Throws: what `work` throws. When the calling task is cancelled already, the work starts cancelled.
    public static func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let executor = CallerExecutor()
        let result = Mutex<Result<Value, any Error>>(.failure(CancellationError()))
        let task = Task(executorPreference: executor) {
            let outcome: Result<Value, any Error>
            do {
                outcome = .success(try await work())
            } catch {
                outcome = .failure(error)
            }
            result.withLock { $0 = outcome }
            executor.stop()
        }
        if Task.isCancelled { task.cancel() }
        executor.runUntilStopped()
        return try result.withLock(\.self).get()
    }
}

/// Runs its jobs on the thread that calls ``runUntilStopped()``.
private final class CallerExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isStopped = false
        var hasLeft = false
    }

    private let state = Mutex(State())
    private let changes = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let hasLeft = state.withLock { state in
            if !state.hasLeft { state.jobs.append(job) }
            return state.hasLeft
        }
        // An actor that the work has used may still ask for a thread, on behalf of others.
        guard !hasLeft else {
            return DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
        changes.signal()
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        changes.signal()
    }

    func runUntilStopped() {
        while true {
            changes.wait()
            let (jobs, hasLeft) = state.withLock { state in
                defer { state.jobs = [] }
                state.hasLeft = state.isStopped && state.jobs.isEmpty
                return (state.jobs, state.hasLeft)
            }
            if hasLeft { return }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}

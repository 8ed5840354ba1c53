import Dispatch
import Synchronization

/// The jobs of a ``WorkerThreads``, and the number of its threads.
///
/// ```
/// open  -end->                               ended: jobs are still run
/// ended -a thread finds no job->             one thread fewer
/// ```
final class JobQueue: Sendable {
    private struct State {
        var waiting = FIFO<@Sendable () -> Void>()
        var threads = 0
        /// The number of jobs that are queued or running.
        var jobs = 0
        var isEnded = false
    }

    private enum Step { case run(@Sendable () -> Void), exit, wait }

    private let maximumThreads: Int
    private let state = Mutex(State())
    /// Signaled once for each job, and once for each thread at the end.
    private let changes = DispatchSemaphore(value: 0)

    init(maximumThreads: Int) { self.maximumThreads = maximumThreads }

    /// The number of threads that have not exited.
    var threadCount: Int { state.withLock(\.threads) }

    /// Adds a job.
    /// - Returns: true if a new thread must be started for it.
    func add(_ work: @escaping @Sendable () -> Void) -> Bool {
        let mustStart = state.withLock { state in
            state.waiting.append(work)
            state.jobs += 1
            guard state.jobs > state.threads, state.threads < maximumThreads else { return false }
            state.threads += 1
            return true
        }
        changes.signal()
        return mustStart
    }

    /// Waits for the next job, on one of the threads; nil when the thread has to exit.
    func next() -> (@Sendable () -> Void)? {
        while true {
            changes.wait()
            let step: Step = state.withLock { state in
                if let job = state.waiting.popFirst() { return .run(job) }
                guard state.isEnded else { return .wait }
                state.threads -= 1
                return .exit
            }
            switch step {
            case .run(let job): return job
            case .exit: return nil
            case .wait: continue
            }
        }
    }

    /// Ends a job that ``next()`` returned.
    func finishJob() { state.withLock { $0.jobs -= 1 } }

    /// Makes the threads exit after the jobs.
    func end() {
        let threads = state.withLock { state in
            state.isEnded = true
            return state.threads
        }
        for _ in 0..<threads { changes.signal() }
    }
}

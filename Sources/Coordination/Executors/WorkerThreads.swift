import Dispatch
import Foundation
import Synchronization

/// A fixed-size thread pool with a FIFO queue, for jobs that may block.
///
/// On Dispatch, blocking jobs could use up its threads (about 250), and the network needs one of them. Here they can
/// delay only each other. Threads start on demand. Once the pool is released and its jobs have ended, they exit.
package final class WorkerThreads: TaskExecutor {
    /// What the threads share. They own only this, so that they do not keep the pool alive.
    let queue: JobQueue
    private let name: String

    /// Creates a pool without threads.
    /// - Parameter name: the name of its threads, at most 15 characters: Linux refuses longer ones.
    package init(count: Int, name: String) {
        queue = JobQueue(maximumThreads: count)
        self.name = name
    }

    // A job that runs or waits as a task owns the pool, so none is lost.
    deinit { queue.end() }

    /// Enqueues a job.
    package func run(_ work: @escaping @Sendable () -> Void) {
        if queue.add(work) { startThread() }
    }

    /// Enqueues a task's job.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func startThread() {
        let started = DispatchSemaphore(value: 0)
        let thread = Thread { [queue, name] in
            // Foundation on Linux passes a name to the system only after `start` has returned.
            started.wait()
            Thread.current.name = name
            while let job = queue.next() {
                job()
                queue.finishJob()
            }
        }
        thread.start()
        started.signal()
    }
}

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

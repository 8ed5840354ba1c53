import Dispatch
import Foundation
import SystemLibraries

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
                runReleasingTemporaries(job)
                queue.finishJob()
            }
        }
        thread.start()
        started.signal()
    }
}

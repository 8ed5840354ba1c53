package import Dispatch

/// A task executor on a dispatch queue instead of the cooperative pool.
///
/// Work that a blocked caller waits for must not need a thread of the pool: the caller may hold the last one.
package final class DispatchQueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    package init(_ queue: DispatchQueue) { self.queue = queue }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

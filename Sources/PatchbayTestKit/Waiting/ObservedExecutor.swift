import Dispatch

/// A serial task executor that reports when all of its tasks have suspended or ended.
///
/// For calls that wait without an event, such as those for a slot of a queue:
/// ```swift
/// let executor = ObservedExecutor()
/// let drain = Task(executorPreference: executor) { try await queue.drain() }
/// try await executor.waitUntilIdle()  // the call waits in the queue
/// ```
/// A task that yields, or runs on another executor, counts as suspended.
package final class ObservedExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "patchbay.testkit.observed")
    /// The number of jobs that are queued or running.
    private let jobCount = Watched(0)

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobCount.update { $0 += 1 }
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            // A task that continues on this executor has enqueued its next job by now.
            self.jobCount.update { $0 -= 1 }
        }
    }

    /// Suspends until no job is queued or running.
    /// - Throws: `CancellationError` when the task is cancelled first.
    package func waitUntilIdle() async throws { try await jobCount.wait { $0 == 0 } }
}

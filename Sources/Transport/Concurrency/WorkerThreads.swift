import Dispatch
import Foundation
import Synchronization

/// A fixed-size thread pool with a FIFO queue, for jobs that may block.
///
/// On Dispatch, blocking jobs could use up its threads (about 250), and the network needs one of them. Here they can
/// delay only each other.
package final class WorkerThreads: TaskExecutor {
    private struct State {
        // A two-stack FIFO: `next` holds the oldest jobs in reverse order, `added` the newer ones in order.
        var next: [@Sendable () -> Void] = []
        var added: [@Sendable () -> Void] = []
        var threads = 0
        /// The number of jobs that are queued or running.
        var jobs = 0

        mutating func popFirst() -> (@Sendable () -> Void)? {
            if next.isEmpty {
                next = added.reversed()
                added = []
            }
            return next.popLast()
        }
    }

    /// Calls transfer observers.
    package static let observers = WorkerThreads(count: 4, name: "patchbay.observers")
    /// Writes the files of downloads.
    package static let files = WorkerThreads(count: 4, name: "patchbay.files")

    private let count: Int
    private let name: String
    private let state = Mutex(State())
    private let changes = DispatchSemaphore(value: 0)

    /// Creates a pool; threads start on demand and never exit.
    package init(count: Int, name: String) {
        self.count = count
        self.name = name
    }

    /// Enqueues a job.
    package func run(_ work: @escaping @Sendable () -> Void) {
        let mustStart = state.withLock { state in
            state.added.append(work)
            state.jobs += 1
            guard state.jobs > state.threads, state.threads < count else { return false }
            state.threads += 1
            return true
        }
        if mustStart { startThread() }
        changes.signal()
    }

    /// Enqueues a task's job.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func startThread() {
        let thread = Thread { [self] in
            while true {
                changes.wait()
                state.withLock { $0.popFirst() }?()
                state.withLock { $0.jobs -= 1 }
            }
        }
        thread.name = name
        thread.start()
    }
}

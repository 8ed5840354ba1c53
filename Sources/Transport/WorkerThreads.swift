import Dispatch
import Foundation
import Synchronization

/// A fixed number of threads for work that may block, first come, first served.
///
/// Such work would take threads away from Dispatch, which has some 250 and needs one for the network. Here it waits for
/// other work of its kind at most.
package final class WorkerThreads: TaskExecutor {
    private struct State {
        // A queue of two stacks: `next` has the next job last, and all of `added` come after it.
        var next: [@Sendable () -> Void] = []
        var added: [@Sendable () -> Void] = []
        var threads = 0
        /// Jobs that wait or run.
        var jobs = 0

        mutating func popFirst() -> (@Sendable () -> Void)? {
            if next.isEmpty {
                next = added.reversed()
                added = []
            }
            return next.popLast()
        }
    }

    /// For the observers of transfers.
    package static let observers = WorkerThreads(count: 4, name: "patchbay.observers")
    /// For downloads, which write files.
    package static let files = WorkerThreads(count: 4, name: "patchbay.files")

    private let count: Int
    private let name: String
    private let state = Mutex(State())
    private let changes = DispatchSemaphore(value: 0)

    /// Threads that are started when they are needed, and then stay.
    package init(count: Int, name: String) {
        self.count = count
        self.name = name
    }

    /// Calls `work` on one of the threads.
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

    /// Runs a task's job on one of the threads.
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

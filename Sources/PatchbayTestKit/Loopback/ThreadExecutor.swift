import Foundation
import Synchronization

/// Runs the task of one connection on the thread of that connection, so that the task may wait in a system call and
/// answering a request changes no thread.
final class ThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFinished = state.withLock { state in
            if !state.isFinished { state.jobs.append(job) }
            return state.isFinished
        }
        if isFinished {
            // Something outlived its connection; it still has to run somewhere.
            globalConcurrentExecutor.enqueue(job)
        } else {
            arrivals.signal()
        }
    }

    /// Runs jobs on the calling thread until ``finish()``.
    func run() {
        while true {
            arrivals.wait()
            let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
            guard let job else { return }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Ends ``run()`` as soon as there is nothing left to do.
    func finish() {
        state.withLock { $0.isFinished = true }
        arrivals.signal()
    }
}

import Dispatch
import Synchronization
import SystemLibraries

/// A task executor on one thread, whose tasks may block without taking a thread of the cooperative pool.
package final class ThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    private let changes = DispatchSemaphore(value: 0)

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFinished = state.withLock { state in
            if !state.isFinished { state.jobs.append(job) }
            return state.isFinished
        }
        // Jobs can arrive after `finish()`, for example from an actor that other tasks share. They must still run.
        guard !isFinished else {
            return DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
        changes.signal()
    }

    /// Runs jobs on the calling thread until ``finish()``; call it once.
    package func run() {
        while true {
            changes.wait()
            let (jobs, isOver) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isFinished && state.jobs.isEmpty)
            }
            if isOver { return }
            for job in jobs { runReleasingTemporaries { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) } }
        }
    }

    /// Makes ``run()`` return after the enqueued jobs.
    package func finish() {
        state.withLock { $0.isFinished = true }
        changes.signal()
    }
}

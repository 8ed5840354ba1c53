import Dispatch
import Synchronization

/// Runs tasks on one thread, which may block in them without taking a thread of the cooperative pool away from anybody.
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
        // What outlives the work, such as an actor that it has used and others use too, still has to run somewhere.
        guard !isFinished else {
            return DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
        changes.signal()
    }

    /// Runs jobs on the calling thread until ``finish()``. To be called once.
    package func run() {
        while true {
            changes.wait()
            let (jobs, isOver) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isFinished && state.jobs.isEmpty)
            }
            if isOver { return }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    /// Ends ``run()`` as soon as there is nothing left to do.
    package func finish() {
        state.withLock { $0.isFinished = true }
        changes.signal()
    }
}

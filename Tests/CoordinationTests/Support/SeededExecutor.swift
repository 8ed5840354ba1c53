import PatchbayTestKit
import Synchronization

/// A task executor on the thread that calls ``run()``: it runs one job at a time, in an order that a seed draws.
///
/// Tasks thus interleave at their suspensions, in another way for each seed and in the same way for equal seeds. When
/// no job is left, nothing can happen any more: a task that has not ended then waits for good.
final class SeededExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var random: SeededGenerator
    }

    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(random: SeededGenerator(seed: seed))) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// A number of the schedule, for tasks that draw what they do.
    func random(below bound: Int) -> Int { state.withLock { Int($0.random.next() % UInt64(bound)) } }

    /// Runs jobs until none is left.
    func run() {
        while let job = nextJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else { return nil }
            return state.jobs.remove(at: Int(state.random.next() % UInt64(state.jobs.count)))
        }
    }
}

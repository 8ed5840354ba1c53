import PatchbayTestKit
import Synchronization

/// A task executor on the thread that calls ``run()``: it runs one job at a time, in an order that a seed draws.
///
/// Tasks thus interleave at their suspensions, in another way for each seed and in the same way for equal seeds. When
/// no job is left, nothing can happen any more: a task that has not ended then waits for good.
final class SeededExecutor: TaskExecutor {
    private enum Step {
        case job(UnownedJob)
        case resume(CheckedContinuation<Void, Never>)
    }

    private struct State {
        var steps: [Step] = []
        var random: SeededGenerator
    }

    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(random: SeededGenerator(seed: seed))) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.steps.append(.job(job)) }
    }

    /// Suspends the task that calls it, so that others may run.
    ///
    /// `Task.yield` does not: runtimes before Swift 6.2 send its job to the global executor.
    func pause() async {
        await withCheckedContinuation { continuation in state.withLock { $0.steps.append(.resume(continuation)) } }
    }

    /// A number of the schedule, for tasks that draw what they do.
    func random(below bound: Int) -> Int { state.withLock { Int($0.random.next() % UInt64(bound)) } }

    /// Runs jobs until none is left.
    func run() {
        while let step = nextStep() {
            switch step {
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            // Enqueues a job.
            case .resume(let continuation): continuation.resume()
            }
        }
    }

    private func nextStep() -> Step? {
        state.withLock { state in
            guard !state.steps.isEmpty else { return nil }
            return state.steps.remove(at: Int(state.random.next() % UInt64(state.steps.count)))
        }
    }
}

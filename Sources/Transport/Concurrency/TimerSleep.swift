import Synchronization

/// A task sleep that the timer thread ends.
///
/// The standard library's clocks resume sleeping tasks through the cooperative pool. While blocking calls hold all its
/// threads, such a sleep would not end, and a timeout could not cancel the calls.
///
/// ```
/// pending   -begin->  suspended
/// pending   -end->    finished
/// suspended -end->    finished
/// ```
final class TimerSleep: Sendable {
    private enum State {
        case pending
        case suspended(CheckedContinuation<Void, Never>)
        case finished
    }

    // An unbounded duration could overflow the clock's instant.
    private static let longest = Duration.seconds(3600)

    private let state = Mutex(State.pending)

    /// Suspends for `duration`, at most one hour, or until the task is cancelled.
    static func sleep(for duration: Duration) async {
        let sleep = TimerSleep()
        let deadline = ContinuousClock.now + min(max(duration, .zero), longest)
        let timer = TimerThread.shared.schedule(at: deadline) { sleep.end() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { sleep.begin($0) }
        } onCancel: {
            sleep.end()
        }
        TimerThread.shared.cancel(timer, at: deadline)
    }

    private func begin(_ continuation: CheckedContinuation<Void, Never>) {
        let isFinished = state.withLock { state in
            if case .finished = state { return true }
            state = .suspended(continuation)
            return false
        }
        if isFinished { continuation.resume() }
    }

    private func end() {
        let before = state.withLock { state in
            defer { state = .finished }
            return state
        }
        if case .suspended(let continuation) = before { continuation.resume() }
    }
}

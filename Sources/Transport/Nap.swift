import Synchronization

/// A sleep on the timer thread.
///
/// The clocks of the standard library wake their sleepers through the cooperative pool. When each of its threads is
/// blocked, as by callers that wait for a response, a deadline would come only after what it was to end.
final class Nap: Sendable {
    private enum State {
        case awake
        case asleep(CheckedContinuation<Void, Never>)
        case over
    }

    // No moment may be past what a clock can hold.
    private static let longest = Duration.seconds(3600)

    private let state = Mutex(State.awake)

    /// Returns after so long, or sooner: when it is very long, and when the task is cancelled.
    static func take(_ duration: Duration) async {
        let nap = Nap()
        let moment = ContinuousClock.now + min(max(duration, .zero), longest)
        let timer = TimerThread.shared.schedule(at: moment) { nap.end() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { nap.begin($0) }
        } onCancel: {
            nap.end()
        }
        TimerThread.shared.cancel(timer, at: moment)
    }

    private func begin(_ continuation: CheckedContinuation<Void, Never>) {
        let isOver = state.withLock { state in
            if case .over = state { return true }
            state = .asleep(continuation)
            return false
        }
        if isOver { continuation.resume() }
    }

    private func end() {
        let before = state.withLock { state in
            defer { state = .over }
            return state
        }
        if case .asleep(let continuation) = before { continuation.resume() }
    }
}

import Dispatch
import Synchronization

/// A sleep on a dispatch timer.
///
/// The clocks of the standard library wake their sleepers through the cooperative pool. When each of its threads is
/// blocked, as by callers that wait for a response, a deadline would come only after what it was to end.
final class Nap: Sendable {
    private enum State {
        case awake
        case asleep(CheckedContinuation<Void, Never>)
        case over
    }

    private static let queue = DispatchQueue(label: "patchbay.naps")
    // A timer counts nanoseconds in 64 bits, and on some systems stands still while the machine sleeps.
    private static let longest = Duration.seconds(3600)

    private let state = Mutex(State.awake)

    /// Returns after so long, or sooner: when it is very long, and when the task is cancelled.
    static func take(_ duration: Duration) async {
        let nap = Nap()
        let time = min(max(duration, .zero), longest).components
        let delay = DispatchTimeInterval.nanoseconds(
            Int(time.seconds * 1_000_000_000 + time.attoseconds / 1_000_000_000))
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { nap.end() }
        timer.schedule(deadline: .now() + delay, leeway: .nanoseconds(0))
        timer.activate()
        await withTaskCancellationHandler {
            await withCheckedContinuation { nap.begin($0) }
        } onCancel: {
            nap.end()
        }
        timer.cancel()
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

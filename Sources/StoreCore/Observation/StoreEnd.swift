import Synchronization

/// One-shot signal that a store's changes have ended; calls one handler, once.
final class StoreEnd: Sendable {
    private struct State {
        var hasEnded = false
        var handler: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Sets the handler, replacing an earlier one. Calls it at once if the end was signaled before.
    func onSignal(_ handler: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.handler = handler }
            return state.hasEnded
        }
        if hasEnded { handler() }
    }

    /// Calls the handler, unless it was signaled before.
    func signal() {
        let handler = state.withLock { state in
            state.hasEnded = true
            return state.handler.take()
        }
        handler?()
    }
}

import Synchronization

/// The state of a network and the handlers of its changes, for an implementation of ``NetworkMonitor``.
///
/// Handlers are called one state after the other, in the order of the changes, without a lock.
public final class NetworkSubscribers: Sendable {
    private struct State {
        var current: NetworkState
        /// The number of changes so far: a state may come back before the handlers have got the one between.
        var changeCount = 0
        var handlers: [UInt64: @Sendable (NetworkState) -> Void] = [:]
        var lastID: UInt64 = 0
        /// True while a thread calls handlers; it also calls them for changes that come meanwhile.
        var isDelivering = false
        /// The number of changes that the handlers have got, or will get by the thread that delivers.
        var deliveredCount = 0
    }

    private let state: Mutex<State>

    /// Creates a list without handlers.
    public init(_ current: NetworkState = .unknown) {
        state = Mutex(State(current: current))
    }

    /// The state now.
    public var current: NetworkState { state.withLock(\.current) }

    /// Sets the state, and calls the handlers if it has changed.
    public func set(_ new: NetworkState) {
        let mustDeliver = state.withLock { state in
            if new != state.current { state.changeCount += 1 }
            state.current = new
            guard !state.isDelivering else { return false }
            state.isDelivering = true
            return true
        }
        guard mustDeliver else { return }
        while let (new, handlers) = next() {
            for handler in handlers { handler(new) }
        }
    }

    /// Adds a handler.
    public func add(_ handler: @escaping @Sendable (NetworkState) -> Void) -> NetworkSubscription {
        let id = state.withLock { state in
            state.lastID += 1
            state.handlers[state.lastID] = handler
            return state.lastID
        }
        return NetworkSubscription { [weak self] in
            // Released after unlocking, since a `deinit` may call back.
            let removed = self?.state.withLock { $0.handlers.removeValue(forKey: id) }
            _ = removed
        }
    }

    /// The next state to deliver with its handlers, the oldest first; nil once all were delivered.
    private func next() -> (NetworkState, [@Sendable (NetworkState) -> Void])? {
        state.withLock { state in
            guard state.deliveredCount != state.changeCount else {
                state.isDelivering = false
                return nil
            }
            state.deliveredCount = state.changeCount
            return (state.current, state.handlers.sorted { $0.key < $1.key }.map(\.value))
        }
    }
}

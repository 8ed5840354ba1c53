import Synchronization

/// An app's state that the program sets itself: for tests, and where no system posts notifications.
///
/// May be used from any thread.
public final class ORAManualLifecycle: ORAAppLifecycle {
    private struct State {
        var lastID = 0
        var handlers: [Int: @Sendable (ORAAppState) -> Void] = [:]
        var expirations: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// A state that begins in the foreground.
    public init() {}

    /// The app goes to the background.
    public func enterBackground() { tell(.background) }

    /// The app comes back.
    public func enterForeground() { tell(.foreground) }

    /// The time in the background that was asked for is nearly over.
    public func expireBackgroundTime() {
        for expired in state.withLock({ Array($0.expirations.values) }) { expired() }
    }

    /// How often time in the background was asked for and not given back.
    public var backgroundTimes: Int { state.withLock(\.expirations.count) }

    /// Calls `handler` at each transition, on the thread that brings it about.
    public func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void {
        let id = state.withLock { state in
            state.lastID += 1
            state.handlers[state.lastID] = handler
            return state.lastID
        }
        return { [weak self] in _ = self?.state.withLock { $0.handlers.removeValue(forKey: id) } }
    }

    /// Keeps `expired` for ``expireBackgroundTime()``.
    public func beginBackgroundTime(_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let id = state.withLock { state in
            state.lastID += 1
            state.expirations[state.lastID] = expired
            return state.lastID
        }
        return { [weak self] in _ = self?.state.withLock { $0.expirations.removeValue(forKey: id) } }
    }

    private func tell(_ appState: ORAAppState) {
        for (_, handler) in state.withLock(\.handlers).sorted(by: { $0.key < $1.key }) { handler(appState) }
    }
}

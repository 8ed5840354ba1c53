import Synchronization

/// A lifecycle that the app controls, for tests and for platforms without lifecycle notifications.
///
/// Thread-safe.
public final class ORAManualLifecycle: ORAAppLifecycle {
    private struct State {
        var lastID = 0
        var handlers: [Int: @Sendable (ORAAppState) -> Void] = [:]
        var expirations: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Creates a lifecycle in the foreground.
    public init() {}

    /// Reports a transition to the background.
    public func enterBackground() { notify(.background) }

    /// Reports a transition to the foreground.
    public func enterForeground() { notify(.foreground) }

    /// Expires all background tasks.
    public func expireBackgroundTasks() {
        for expired in state.withLock({ Array($0.expirations.values) }) { expired() }
    }

    /// Number of background tasks that have not ended.
    public var backgroundTaskCount: Int { state.withLock(\.expirations.count) }

    /// Calls `handler` at each transition, on the thread that reports it.
    public func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void {
        let id = state.withLock { state in
            state.lastID += 1
            state.handlers[state.lastID] = handler
            return state.lastID
        }
        return { [weak self] in _ = self?.state.withLock { $0.handlers.removeValue(forKey: id) } }
    }

    /// Keeps the handler for ``expireBackgroundTasks()``.
    public func beginBackgroundTask(expirationHandler: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let id = state.withLock { state in
            state.lastID += 1
            state.expirations[state.lastID] = expirationHandler
            return state.lastID
        }
        return { [weak self] in _ = self?.state.withLock { $0.expirations.removeValue(forKey: id) } }
    }

    private func notify(_ appState: ORAAppState) {
        for (_, handler) in state.withLock(\.handlers).sorted(by: { $0.key < $1.key }) { handler(appState) }
    }
}

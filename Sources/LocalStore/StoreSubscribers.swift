import Synchronization

/// Registry of change handlers for an implementation of ``LocalStore``; calls them in the order of their subscription.
///
/// ```swift
/// func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription {
///     subscribers.subscribe(handler)
/// }
/// ```
public final class StoreSubscribers: Sendable {
    private struct State {
        var handlers: [Int: @Sendable (StoreChange) -> Void] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())

    /// Creates an empty registry.
    public init() {}

    /// Adds a handler.
    /// - Returns: a token; the handler is called as long as the token is retained and not cancelled.
    public func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription {
        let id = state.withLock { state in
            state.nextID += 1
            state.handlers[state.nextID] = handler
            return state.nextID
        }
        return StoreSubscription { [weak self] in
            // Releasing a handler may run arbitrary deinit code, so it happens outside the lock.
            let handler = self?.state.withLock { $0.handlers.removeValue(forKey: id) }
            _ = handler
        }
    }

    /// Calls all handlers with the tables that a commit changed, if any. Call it outside any lock.
    ///
    /// The project's own tables (prefix `patchbay_`) are left out.
    public func publish(_ tables: Set<SQLIdentifier>) {
        guard !tables.isEmpty else { return }
        let tables = tables.filter { !$0.isReserved }
        guard !tables.isEmpty else { return }
        let handlers = state.withLock { state in state.handlers.sorted { $0.key < $1.key }.map(\.value) }
        let change = StoreChange(tables: tables)
        for handler in handlers { handler(change) }
    }
}

import Synchronization

/// Registry of change handlers for an implementation of ``LocalStore``; calls them in the order of their subscription.
///
/// ```swift
/// func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription {
///     subscribers.subscribe(handler)
/// }
/// ```
public final class StoreSubscribers: Sendable {
    private struct Entry: Sendable {
        let id: Int
        let handler: @Sendable (StoreChange) -> Void
        let end: StoreEnd
    }
    private struct State {
        /// In the order of subscription.
        var entries: [Entry] = []
        var lastID = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Creates an empty registry.
    public init() {}

    // A store may be released without being closed; a sequence that waits must not wait forever.
    deinit { finish() }

    /// The number of handlers.
    var count: Int { state.withLock(\.entries.count) }

    /// Adds a handler.
    /// - Returns: a token; the handler is called as long as the token is retained and not cancelled.
    public func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription {
        let end = StoreEnd()
        let id: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.lastID += 1
            state.entries.append(Entry(id: state.lastID, handler: handler, end: end))
            return state.lastID
        }
        guard let id else {
            end.signal()
            return StoreSubscription(storeEnd: end) {}
        }
        return StoreSubscription(storeEnd: end) { [weak self] in
            // Releasing a handler may run arbitrary deinit code, so it happens outside the lock.
            let removed = self?.state.withLock { state in
                state.entries.firstIndex { $0.id == id }.map { state.entries.remove(at: $0) }
            }
            _ = removed
        }
    }

    /// Calls all handlers with the tables that a commit changed, if any. Call it outside any lock.
    ///
    /// The project's own tables (prefix `patchbay_`) are left out.
    public func publish(_ tables: Set<SQLIdentifier>) {
        guard !tables.isEmpty else { return }
        let entries = state.withLock(\.entries)
        guard !entries.isEmpty else { return }
        let published = tables.contains(where: \.isReserved) ? tables.filter { !$0.isReserved } : tables
        guard !published.isEmpty else { return }
        let change = StoreChange(tables: published)
        for entry in entries { entry.handler(change) }
    }

    /// Removes all handlers, and ends the sequences of changes and the observations. Call it once the store is closed,
    /// outside any lock. Later subscriptions end at once. The release of the registry does the same.
    public func finish() {
        let entries = state.withLock { state in
            state.isFinished = true
            defer { state.entries = [] }
            return state.entries
        }
        for entry in entries { entry.end.signal() }
    }
}

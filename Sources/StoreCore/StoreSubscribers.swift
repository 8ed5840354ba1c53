import Synchronization

/// Registry of change handlers for an implementation of ``LocalStore``; calls them in the order of their subscription.
///
/// ```swift
/// func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription {
///     subscribers.subscribe(handler)
/// }
/// ```
public final class StoreSubscribers: Sendable {
    fileprivate final class Entry: Sendable {
        let handler: @Sendable (StoreChange) -> Void
        let end = StoreEnd()
        /// Checked before each call: a handler may cancel one that comes after it.
        let isCancelled = Atomic(false)

        init(_ handler: @escaping @Sendable (StoreChange) -> Void) { self.handler = handler }

        // The registry and the publications retain it, so the end comes after the last change. A store may be released
        // without being closed; a sequence that waits must not wait forever.
        deinit { if !isCancelled.load(ordering: .acquiring) { end.signal() } }
    }

    /// The change of a commit, with the handlers to call.
    ///
    /// The sequences of changes do not end before it is released, also when another thread closes the store meanwhile.
    package struct Publication: Sendable {
        fileprivate let change: StoreChange
        fileprivate let entries: [Entry]

        /// Calls the handlers. Call it outside any lock.
        package func deliver() {
            withExtendedLifetime(entries) {
                for entry in entries where !entry.isCancelled.load(ordering: .acquiring) { entry.handler(change) }
            }
        }
    }

    private struct State {
        /// In the order of subscription.
        var entries: [Entry] = []
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Creates an empty registry.
    public init() {}

    /// The number of handlers.
    var count: Int { state.withLock(\.entries.count) }

    /// Adds a handler.
    /// - Returns: a token; the handler is called as long as the token is retained and not cancelled.
    public func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription {
        let entry = Entry(handler)
        state.withLock { state in
            if !state.isFinished { state.entries.append(entry) }
        }
        // Weak: once the store is closed, a token no longer retains its handler.
        return StoreSubscription(storeEnd: entry.end) { [weak self, weak entry] in
            guard let entry else { return }
            entry.isCancelled.store(true, ordering: .releasing)
            // Releasing a handler may run arbitrary deinit code, so it happens outside the lock.
            self?.state.withLock { state in state.entries.removeAll { $0 === entry } }
        }
    }

    /// Calls all handlers with the tables that a commit changed, if any. Call it outside any lock.
    ///
    /// The project's own tables (prefix `patchbay_`) are left out.
    public func publish(_ tables: Set<SQLIdentifier>) { publication(of: tables)?.deliver() }

    /// Returns what ``publish(_:)`` delivers; nil for nothing. Call it under the store's lock, after the commit.
    package func publication(of tables: Set<SQLIdentifier>) -> Publication? {
        let published = tables.contains(where: \.isReserved) ? tables.filter { !$0.isReserved } : tables
        guard !published.isEmpty else { return nil }
        // Last: handlers that are cancelled meanwhile are released with the result, outside the store's lock.
        let entries = state.withLock(\.entries)
        return entries.isEmpty ? nil : Publication(change: StoreChange(tables: published), entries: entries)
    }

    /// Removes all handlers, and ends the sequences of changes and the observations. Call it once the store is closed,
    /// outside any lock. Later subscriptions end at once. The release of the registry does the same.
    ///
    /// It does not wait for calls of ``publish(_:)`` that have begun: their sequences end after them.
    public func finish() {
        // Released outside the lock, where the ends are signaled.
        _ = state.withLock { state in
            state.isFinished = true
            defer { state.entries = [] }
            return state.entries
        }
    }
}

import Synchronization

/// Registry of change handlers, called in the order of their subscription.
package final class StoreSubscribers: Sendable {
    package typealias Handler = @Sendable (StoreChange) -> Void

    private struct State {
        var handlers: [Int: Handler] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())

    package init() {}

    package func subscribe(_ handler: @escaping Handler) -> StoreSubscription {
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

    /// Calls all handlers with the changed tables, without the project's own. Call it outside any lock.
    package func publish(_ tables: Set<SQLIdentifier>) {
        guard !tables.isEmpty else { return }
        let tables = tables.filter { !$0.isReserved }
        guard !tables.isEmpty else { return }
        let handlers = state.withLock { state in state.handlers.sorted { $0.key < $1.key }.map(\.value) }
        let change = StoreChange(tables: tables)
        for handler in handlers { handler(change) }
    }
}

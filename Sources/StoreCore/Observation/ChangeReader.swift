import Coordination
import Synchronization

/// Subscription that one task reads; it ends when the reader is released.
final class ChangeReader: Sendable {
    /// The state that the store's handler retains, instead of the reader.
    private final class Buffer: Sendable {
        private let changes: Mutex<PendingChanges<Promise<StoreChange?>>>

        init(_ filter: Set<SQLIdentifier>?) { changes = Mutex(PendingChanges(filter: filter)) }

        func add(_ change: StoreChange) {
            let resumed = changes.withLock { $0.add(change) }
            if let (waiter, change) = resumed { waiter.fulfill(change) }
        }

        func wait(_ waiter: Promise<StoreChange?>) {
            if case .resume(let change) = changes.withLock({ $0.wait(waiter) }) { waiter.fulfill(change) }
        }

        func watch(_ tables: Set<SQLIdentifier>?) { changes.withLock { $0.watch(tables) } }
        func finish() { changes.withLock { $0.finish() }?.fulfill(nil) }
        func cancel() { changes.withLock { $0.cancel() }?.fulfill(nil) }
    }

    private let buffer: Buffer
    private let subscription: StoreSubscription

    /// Subscribes to a store.
    /// - Parameter tables: the tables to report; nil for all.
    init(_ store: any LocalStore, of tables: Set<SQLIdentifier>?) {
        let buffer = Buffer(tables)
        self.buffer = buffer
        subscription = store.subscribe { buffer.add($0) }
        subscription.storeEnd.onSignal { buffer.finish() }
    }

    /// Waits for the next change; nil once the store is closed or the task is cancelled.
    ///
    /// Cancellation ends the subscription.
    func next(isolation actor: isolated (any Actor)?) async -> StoreChange? {
        // Also with a pending change.
        guard !Task.isCancelled else {
            end()
            return nil
        }
        let change = Promise<StoreChange?>()
        buffer.wait(change)
        return await change.value(isolation: actor) { end() }
    }

    /// Sets the tables to report from now on, also those that changed already; nil for all.
    func watch(_ tables: Set<SQLIdentifier>?) { buffer.watch(tables) }

    /// Ends the subscription.
    func end() {
        subscription.cancel()
        buffer.cancel()
    }
}

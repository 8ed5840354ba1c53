package import StoreCore
import Synchronization

/// Log of a store's change notifications.
package final class ChangeLog: Sendable {
    private let changes = Mutex<[StoreChange]>([])

    package init() {}

    @Sendable package func note(_ change: StoreChange) { changes.withLock { $0.append(change) } }

    /// Returns and clears the changed tables, one set for each notification.
    package func take() -> [Set<SQLIdentifier>] {
        changes.withLock { changes in
            defer { changes = [] }
            return changes.map(\.tables)
        }
    }
}

import StoreCore
import Synchronization

extension Outbox {
    /// The numbers of entries now, and after each change.
    ///
    /// ```swift
    /// for await status in outbox.status { badge(status.waiting, status.failed) }
    /// ```
    ///
    /// Changes that another process makes show with the next change in this one.
    public var status: OutboxUpdates<OutboxStatus> {
        // Without the outbox itself: a task that reads the status does not keep it.
        let (sender, store) = (sender, store)
        return OutboxUpdates(signals: { sender.changes.stream() }, clock: sender.clock) {
            let last = Mutex<OutboxStatus?>(nil)
            return {
                let status = try await Self.status(of: sender, in: store)
                let isNew = last.withLock { last in
                    defer { last = status }
                    return last != status
                }
                return .init(values: isNew ? [status] : [])
            }
        }
    }

    /// The numbers of entries now, those of transactions in progress included.
    public func currentStatus() async throws -> OutboxStatus { try await Self.status(of: sender, in: store) }

    private static func status(of sender: Sender, in store: any LocalStore) async throws -> OutboxStatus {
        // After the transaction that has announced the change.
        try? await store.transaction {}
        let users = sender.users
        let counts = try await store.read { reader in try EntryTable.counts(of: users, in: reader) }
        return OutboxStatus(
            waiting: counts[.blocked, default: 0] + counts[.ready, default: 0] + counts[.delayed, default: 0],
            sending: counts[.sending, default: 0], failed: counts[.failed, default: 0], pauseReasons: sender.pauses,
            storeError: sender.storeError)
    }
}

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
        return OutboxUpdates(signals: sender.changes, clock: sender.clock) {
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

    /// Waits until nothing is left to be sent: each entry is done, has failed, or is held back by a failed one.
    ///
    /// It waits also while the outbox is paused, such as without a network, and for the next attempt of an entry.
    /// - Returns: the status then; after ``close()`` that of now.
    /// - Throws: `CancellationError`; `StoreError`.
    @discardableResult
    public func waitUntilSettled() async throws -> OutboxStatus {
        for await status in status where status.isSettled { return status }
        try Task.checkCancellation()
        return try await currentStatus()
    }

    private static func status(of sender: Sender, in store: any LocalStore) async throws -> OutboxStatus {
        // After the transaction that has announced the change.
        try await store.transaction {}
        let users = sender.users
        let blocksAll = sender.options.failureBlocks == .everything
        let (counts, behind) = try await store.read { reader in
            let counts = try EntryTable.counts(of: users, in: reader)
            let unsent = counts[.blocked, default: 0] + counts[.added, default: 0]
            let mayHold = !blocksAll && counts[.failed, default: 0] > 0 && unsent > 0
            return (counts, mayHold ? try EntryTable.countBehindFailed(of: users, in: reader) : 0)
        }
        let waiting = [EntryRow.Phase.added, .blocked, .ready, .delayed].reduce(0) { $0 + counts[$1, default: 0] }
        return OutboxStatus(
            waiting: waiting, held: blocksAll && counts[.failed, default: 0] > 0 ? waiting : behind,
            sending: counts[.sending, default: 0], failed: counts[.failed, default: 0], pauseReasons: sender.pauses,
            storeError: sender.storeError)
    }
}

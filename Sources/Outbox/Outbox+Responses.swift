import StoreCore
import Synchronization

extension Outbox {
    private static let responsesOfARead = 100

    /// The responses that are not acknowledged, the oldest first, and later ones as they come.
    ///
    /// ```swift
    /// for await response in outbox.responses where response.name == "save order" {
    ///     let saved = try response.decoded(as: Order.self)
    ///     try store.transaction {
    ///         try store.execute("UPDATE order SET serverID = \(saved.id) WHERE id = \(response.key)")
    ///         try outbox.acknowledge(response)
    ///     }
    /// }
    /// ```
    ///
    /// They are those of the current user and of no user. Also after a relaunch each reader gets each response, until
    /// it is acknowledged, or ``OutboxOptions/responseLifetime`` is over.
    public var responses: OutboxUpdates<OutboxResponse> {
        let (sender, store, date, lifetime) = (sender, store, date, options.responseLifetime)
        return OutboxUpdates(signals: sender.changes, clock: sender.clock) {
            // The last number that was delivered of each user: one may sign in later, and have earlier responses.
            let positions = Mutex<[String: Int64]>([:])
            return {
                let changeCount = sender.userChangeCount
                let (users, known) = (sender.users, positions.withLock(\.self))
                let oldest = date().milliseconds - lifetime.milliseconds
                let found = try await store.read { reader in
                    try users.flatMap { user in
                        try ResponseTable.responses(
                            of: [user], after: known[user] ?? 0, since: oldest, limit: Self.responsesOfARead,
                            in: reader)
                    }
                }
                let values = Array(found.sorted { $0.number < $1.number }.prefix(Self.responsesOfARead))
                return .init(values: values, hasMore: values.count == Self.responsesOfARead) { response in
                    // Those of a user that has signed out since are perhaps removed.
                    guard sender.userChangeCount == changeCount else { return false }
                    positions.withLock { $0[response.user ?? ""] = response.number }
                    return true
                }
            }
        }
    }

    /// Removes a response, in the transaction of the caller if there is one. Doing it twice has no effect.
    /// - Throws: `StoreError`.
    public func acknowledge(_ response: OutboxResponse) throws { try ResponseTable(store: store).remove(response) }
}

import StoreCore

extension Outbox {
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
        let (sender, store) = (sender, store)
        return OutboxUpdates(signals: { sender.changes.stream() }, clock: sender.clock) { last in
            let (number, users) = (last?.number ?? 0, sender.users)
            return try await store.read { reader in
                try ResponseTable.responses(of: users, after: number, limit: 100, in: reader)
            }
        }
    }

    /// Removes a response, in the transaction of the caller if there is one. Doing it twice has no effect.
    /// - Throws: `StoreError`.
    public func acknowledge(_ response: OutboxResponse) throws { try ResponseTable(store: store).remove(response) }
}

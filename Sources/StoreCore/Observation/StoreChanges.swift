/// The changes of a store's tables, as an asynchronous sequence; see ``LocalStore/changes(of:)``.
public struct StoreChanges: AsyncSequence, Sendable {
    fileprivate let store: any LocalStore
    fileprivate let tables: Set<SQLIdentifier>?

    /// Subscribes to the store.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: ChangeReader(store, of: tables)) }

    /// An iterator over the changes after its creation. The subscription ends with it. It does not retain the store.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: ChangeReader

        /// Waits for the next change; nil once the store is closed or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> StoreChange? {
            await reader.next(isolation: actor)
        }

        /// Waits for the next change; nil once the store is closed or the task was cancelled.
        public mutating func next() async -> StoreChange? { await next(isolation: #isolation) }
    }
}

extension LocalStore {
    /// Returns the changes of tables, as a sequence.
    ///
    /// ```swift
    /// for await change in store.changes(of: ["note"]) { print(change.tables) }
    /// ```
    ///
    /// An iterator reports the commits after its creation. Those that it has not delivered yet are merged into one
    /// change, so a slow reader delays no commit and needs no memory for each. The sequence ends when the reading task
    /// is cancelled, and after the last change of a closed or released store.
    /// - Parameter tables: the tables to report; default nil: all. A change names only these.
    public func changes(of tables: Set<SQLIdentifier>? = nil) -> StoreChanges {
        StoreChanges(store: self, tables: tables)
    }
}

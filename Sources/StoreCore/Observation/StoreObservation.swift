/// A value that is read from a store again after each change of its tables; see ``LocalStore/observe(_:)``.
public struct StoreObservation<Value: Sendable>: AsyncSequence, Sendable {
    fileprivate let store: any LocalStore
    fileprivate let value: @Sendable (borrowing StoreReader) throws -> Value
    /// Compares a value with the next one; the next one is skipped if true. Nil to skip none.
    fileprivate var isDuplicate: (@Sendable (Value, Value) -> Bool)?

    /// Creates an iterator; it subscribes to the store and reads at its first ``Iterator/next(isolation:)``.
    public func makeAsyncIterator() -> Iterator { Iterator(observation: self) }

    /// An iterator over the values. The subscription ends with it.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let observation: StoreObservation
        /// Nil before the first value.
        private var reader: ChangeReader?
        private var last: Value?
        private var hasEnded = false

        fileprivate init(observation: StoreObservation) { self.observation = observation }

        /// Reads the first value, or the next one after a change.
        /// - Returns: the value; nil once the task is cancelled.
        /// - Throws: the error of the query, once; `closed` when the store is closed.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Value? {
            while !hasEnded {
                let reader: ChangeReader
                var isLast = false
                if let known = self.reader {
                    reader = known
                    // After the last change of a closed store, the query throws `closed`.
                    isLast = await reader.next(isolation: actor) == nil
                } else {
                    // Before the first query, so that no change is missed.
                    reader = ChangeReader(observation.store, of: nil)
                    self.reader = reader
                }
                guard !Task.isCancelled else { break }
                let value: Value
                do {
                    // During the query all tables are watched: which ones it reads is known only afterwards.
                    reader.watch(nil)
                    let (read, tables) = try await observation.read()
                    reader.watch(tables)
                    value = read
                } catch {
                    let isCancelled = Task.isCancelled
                    end()
                    if isCancelled { return nil }
                    throw error
                }
                guard !Task.isCancelled else { break }
                let isSkipped = if let last { observation.isDuplicate?(last, value) ?? false } else { false }
                if isLast { end() } else if observation.isDuplicate != nil { last = value }
                if !isSkipped { return value }
            }
            end()
            return nil
        }

        /// Reads the first value, or the next one after a change.
        public mutating func next() async throws -> Value? { try await next(isolation: #isolation) }

        private mutating func end() {
            hasEnded = true
            reader?.end()
            reader = nil
            last = nil
        }
    }

    /// Reads the value, with the tables that it depends on; nil for all tables.
    fileprivate func read() async throws -> (Value, Set<SQLIdentifier>?) {
        try await store.read { [value] reader in
            let recorder = TableRecorder()
            let result = try value(reader.recording(in: recorder))
            return (result, recorder.tables)
        }
    }
}

extension StoreObservation where Value: Equatable {
    /// Returns the values without those that equal the one before.
    public func removingDuplicates() -> StoreObservation {
        var observation = self
        observation.isDuplicate = { $0 == $1 }
        return observation
    }
}

extension LocalStore {
    /// Observes a value that is read from the store.
    ///
    /// The sequence delivers the value now, and a new one after each change of its tables.
    ///
    /// ```swift
    /// let counts = store.observe { reader in try reader.value(of: Int.self, "SELECT count(*) FROM note") }
    /// for try await count in counts { badge.value = count }
    /// ```
    ///
    /// Changes are those of committed transactions, in this process, to a table that a query of the last read names
    /// (``PreparedQuery/tablesRead``). Changes that come before the next value is taken cause one read. A change that
    /// does not affect the rows still gives a value; see ``StoreObservation/removingDuplicates()``. Read through
    /// `reader`: the tables of other calls are not known. If no query of a read names a table, the next read follows
    /// any change.
    ///
    /// The sequence ends when the reading task is cancelled, and throws the first error of a read: `closed` after the
    /// store is closed.
    /// - Parameter value: reads the value from one snapshot, on one of the store's threads.
    public func observe<Value: Sendable>(
        _ value: @escaping @Sendable (borrowing StoreReader) throws -> Value
    ) -> StoreObservation<Value> {
        StoreObservation(store: self, value: value)
    }
}

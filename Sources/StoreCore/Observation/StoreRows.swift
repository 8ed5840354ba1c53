/// The rows of a large result set, as an asynchronous sequence; see ``LocalStore/stream(of:_:coding:)``.
public struct StoreRows<Row: Sendable>: AsyncSequence, Sendable {
    fileprivate let threads: StoreThreads
    fileprivate let source: RowStream<Row>.Source

    /// Creates an iterator; the query begins with its first ``Iterator/next(isolation:)``.
    public func makeAsyncIterator() -> Iterator { Iterator(rows: self) }

    /// An iterator over the rows. The query ends with it.
    public struct Iterator: AsyncIteratorProtocol {
        private let rows: StoreRows
        /// Nil before the first row and after the last one.
        private var stream: RowStream<Row>?
        private var batch: [Row] = []
        private var position = 0
        private var hasEnded = false

        fileprivate init(rows: StoreRows) { self.rows = rows }

        /// Returns the next row; nil after the last one, or once the task is cancelled.
        /// - Throws: the error of the query, after the rows before it.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Row? {
            if position < batch.count {
                defer { position += 1 }
                return batch[position]
            }
            guard !hasEnded else { return nil }
            let stream = stream ?? RowStream(on: rows.threads.makeStreamThread(), rows.source)
            self.stream = stream
            do {
                if let next = try await stream.next(isolation: actor), let first = next.first {
                    batch = next
                    position = 1
                    return first
                }
            } catch {
                end()
                throw error
            }
            end()
            return nil
        }

        /// Returns the next row; nil after the last one, or once the task is cancelled.
        public mutating func next() async throws -> Row? { try await next(isolation: #isolation) }

        private mutating func end() {
            hasEnded = true
            stream = nil
            batch = []
            position = 0
        }
    }
}

extension LocalStore {
    /// Returns the rows of a query as a sequence, for large result sets.
    ///
    /// ```swift
    /// for try await note in store.stream(of: Note.self, "SELECT * FROM note") { try export(note) }
    /// ```
    ///
    /// Each iterator runs the query on a thread of its own and decodes the rows there, in batches, at most two batches
    /// ahead of its reader. All rows are of one snapshot; until the last row, changes need memory or disk as in
    /// `LocalStore.read(_:)`. A store that cannot read while another thread writes, such as SQLite in memory, is in
    /// use until the last row: other calls wait, and throw `busy` after their timeout. Do not call such a store in the
    /// loop.
    ///
    /// The query ends when the iterator is released or the reading task is cancelled. After a cancellation the iterator
    /// still returns the rest of its batch.
    /// - Parameters:
    ///   - sql: one read-only statement; interpolated values are its parameters.
    ///   - coding: the representation of dates and UUIDs, and the names of columns.
    public func stream<Row: Decodable & Sendable>(
        of type: Row.Type, _ sql: SQL, coding: StoreCoding = StoreCoding()
    ) -> StoreRows<Row> {
        StoreRows(threads: threads) { add in
            try readNow { reader in
                let records = RecordReader<Row>(coding)
                try reader.query(sql) { row in add(try records.record(row)) }
            }
        }
    }

    /// Observes the rows of a query.
    ///
    /// The sequence delivers all rows now, and again after each change of a table that the query reads.
    ///
    /// ```swift
    /// for try await notes in store.observe(as: Note.self, "SELECT * FROM note ORDER BY title") { list.notes = notes }
    /// ```
    /// - Parameters:
    ///   - sql: one read-only statement; interpolated values are its parameters.
    ///   - coding: the representation of dates and UUIDs, and the names of columns.
    /// - Returns: a sequence; see ``observe(_:)``.
    public func observe<Row: Decodable & Sendable>(
        as type: Row.Type, _ sql: SQL, coding: StoreCoding = StoreCoding()
    ) -> StoreObservation<[Row]> {
        observe { reader in try reader.rows(as: Row.self, sql, coding: coding) }
    }
}

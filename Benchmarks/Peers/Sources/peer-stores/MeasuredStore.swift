/// A library over SQLite, with a database in a file: a write-ahead log, synchronous at its checkpoints.
protocol MeasuredStore {
    init(path: String) throws
    /// Adds records, in one transaction.
    func insert(_ items: [StoredItem]) throws
    /// Removes all records.
    func clear() throws
    /// All records.
    func items() throws -> [StoredItem]
    /// One record by its key.
    func item(_ id: Int) throws -> StoredItem?
}

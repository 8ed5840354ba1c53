public import Foundation

/// Reads one state of a store, as often as wanted; see ``LocalStore/read(_:)``.
///
/// It cannot be copied and is only lent, so it cannot outlive the body that it is handed to. It reads on the thread of
/// that body. A row's callback may make another query. A function that you hand it to takes it as `borrowing`.
///
/// ```swift
/// try store.read { reader in
///     try reader.query("SELECT id, label FROM jack") { jack in
///         try reader.query("SELECT length FROM cable WHERE jack = ?", [.integer(jack.int64(at: 0) ?? 0)]) { cable in
///             print(jack.text(at: 1) ?? "", cable.double(at: 0) ?? 0)
///             return true
///         }
///         return true
///     }
/// }
/// ```
public struct StoreReader: ~Copyable {
    /// What is read. It is in use only while a statement is looked for, so that a callback may look for another.
    enum Source {
        case connection(UnsafeMutablePointer<SQLiteConnection>)
        case database(UnsafeMutablePointer<MemoryDatabase>)
    }

    private let source: Source

    /// - Parameter source: stays where it is for as long as this is lent.
    init(_ source: Source) { self.source = source }

    /// Runs one statement that only reads, and hands over its rows.
    /// - Parameters:
    ///   - sql: one statement, with `?` or `?1` for each parameter.
    ///   - parameters: the values, as many as the statement has parameters.
    ///   - each: reads a row; false ends the query.
    /// - Throws: what ``LocalStore/query(_:_:each:)`` throws; ``StoreError`` `misuse` for a statement that writes, or that
    ///   asks what was written last, such as `last_insert_rowid()`.
    @inlinable
    public func query(
        _ sql: String, _ parameters: [StoreValue] = [], each: (borrowing StoreRow) throws -> Bool
    ) throws {
        try prepared(sql).query(parameters, each: each)
    }

    /// Compiles a statement that only reads, and lends it to `body`, to be run as often as wanted. That saves looking
    /// for it each time.
    /// - Throws: what ``query(_:_:each:)`` throws, and what `body` throws.
    public func prepare<Result>(
        _ sql: String, _ body: (borrowing PreparedQuery) throws -> Result
    ) throws -> Result {
        try body(prepared(sql))
    }

    @usableFromInline
    func prepared(_ sql: String) throws(StoreError) -> PreparedQuery {
        switch source {
        case .connection(let connection):
            PreparedQuery(.statement(try connection.pointee.query(sql), of: connection))
        case .database(let database):
            PreparedQuery(.plan(try database.pointee.query(sql), of: database))
        }
    }

    /// Runs one statement that only reads, and gives its rows as JSON; see ``LocalStore/queryJSON(_:_:)``.
    /// - Throws: what ``query(_:_:each:)`` throws.
    public func queryJSON(_ sql: String, _ parameters: [StoreValue] = []) throws(StoreError) -> Data {
        try JSONRowWriter.json { try query(sql, parameters, each: $0) }
    }

    /// Runs one statement that only reads, and gives copies of its rows; for answers of a few rows.
    /// - Throws: what ``query(_:_:each:)`` throws.
    public func rows(_ sql: String, _ parameters: [StoreValue] = []) throws -> [[StoreValue]] {
        try StoreRow.copies { try query(sql, parameters, each: $0) }
    }

    static let readsOnly = StoreError(
        .misuse, "A reader runs only statements that read tables; run this one with the store itself.")
}

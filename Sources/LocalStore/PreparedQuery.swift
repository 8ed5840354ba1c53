/// A statement that reads, compiled once to be run often; see ``StoreReader/prepare(_:_:)``.
///
/// ```swift
/// try store.read { reader in
///     try reader.prepare("SELECT label FROM jack WHERE id = ?") { byKey in
///         for id in ids {
///             try byKey.query([.integer(id)]) { row in
///                 print(row.text(at: 0) ?? "")
///                 return true
///             }
///         }
///     }
/// }
/// ```
public struct PreparedQuery: ~Copyable {
    enum Source {
        case statement(SQLiteStatement, of: UnsafeMutablePointer<SQLiteConnection>)
        case plan(MemoryPlan, of: UnsafeMutablePointer<MemoryDatabase>)
    }

    private let source: Source

    init(_ source: Source) { self.source = source }

    /// Runs the statement, and hands over its rows. A row's callback may run it again; SQLite compiles it once more for
    /// that.
    /// - Parameters:
    ///   - parameters: the values, as many as the statement has parameters.
    ///   - each: reads a row; false ends the query.
    /// - Throws: what ``LocalStore/query(_:_:each:)`` throws.
    @inlinable
    public func query(
        _ parameters: [StoreValue] = [], each: (borrowing StoreRow) throws -> Bool
    ) throws {
        // Inlined, a caller's array of parameters need not be allocated.
        try parameters.withUnsafeBufferPointer { try run($0, each: each) }
    }

    @usableFromInline
    func run(
        _ parameters: UnsafeBufferPointer<StoreValue>, each: (borrowing StoreRow) throws -> Bool
    ) throws {
        switch source {
        case .statement(let statement, let connection):
            // The connection is in use only before and after: a callback may use it for another query.
            let statement = try connection.pointee.available(statement)
            var current: SQLiteStatement?
            defer { if let current { connection.pointee.replace(statement, with: current) } }
            try statement.run(parameters, current: &current, each: each)
        case .plan(let plan, let database):
            var answer = try database.pointee.run(plan, parameters).answer
            defer { answer?.exchange(&database.pointee.room) }
            try answer?.forEach(each)
        }
    }
}

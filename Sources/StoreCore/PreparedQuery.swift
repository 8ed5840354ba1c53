/// Prepared read-only statement, compiled once and run many times; see ``StoreReader/prepare(_:_:)``.
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
        case statement(any EngineStatement, on: UnsafeMutableRawPointer)
        case closure(
            (_ parameters: [StoreValue], _ each: (borrowing StoreRow) throws -> Bool) throws -> Void,
            tablesRead: Set<SQLIdentifier>?)
    }

    private let source: Source

    /// Creates a query for a store of your own; see ``StoreReader/init(prepare:)``.
    /// - Parameters:
    ///   - tablesRead: see ``tablesRead``; default nil: unknown.
    ///   - run: runs the statement and passes each row to `each`, until that returns false. Its errors are rethrown.
    ///     `each` may run the same query again.
    public init(
        tablesRead: Set<SQLIdentifier>? = nil,
        run: @escaping (_ parameters: [StoreValue], _ each: (borrowing StoreRow) throws -> Bool) throws -> Void
    ) {
        source = .closure(run, tablesRead: tablesRead)
    }

    /// - Parameter connection: see ``EngineStatement/tablesRead(on:)``; must stay valid as long as the query is
    ///   borrowed.
    package init(_ statement: any EngineStatement, on connection: UnsafeMutableRawPointer) {
        source = .statement(statement, on: connection)
    }

    /// The tables that the statement reads, also through views; nil when they are unknown, as for the schema table.
    ///
    /// An observation reads again after a change of one of them, or of any table when they are unknown.
    public var tablesRead: Set<SQLIdentifier>? {
        switch source {
        case .statement(let statement, let connection): statement.tablesRead(on: connection)
        case .closure(_, let tables): tables
        }
    }

    /// Runs the statement and passes each row to a callback.
    ///
    /// A callback may run the same query again; SQLite compiles a second copy for that.
    /// - Parameters:
    ///   - parameters: one value for each parameter.
    ///   - each: reads a row; false ends the query.
    /// - Throws: what ``LocalStore/query(_:_:each:)`` throws.
    @inlinable
    public func query(
        _ parameters: [StoreValue] = [], each: (borrowing StoreRow) throws -> Bool
    ) throws {
        // Inlined so that the compiler can avoid allocating the caller's parameter array.
        try parameters.withUnsafeBufferPointer { try run($0, each: each) }
    }

    @usableFromInline
    func run(
        _ parameters: UnsafeBufferPointer<StoreValue>, each: (borrowing StoreRow) throws -> Bool
    ) throws {
        try StoreThreads.checkCancellation()
        switch source {
        case .statement(let statement, let connection):
            try statement.run(parameters, on: connection, each: each)
        case .closure(let run, _):
            try run(Array(parameters), each)
        }
    }
}

/// Prepared read-only statement of a database engine.
package protocol EngineStatement: AnyObject {
    /// See ``PreparedQuery/tablesRead``.
    /// - Parameter connection: the connection that prepared the statement, or the database of its snapshot.
    func tablesRead(on connection: UnsafeMutableRawPointer) -> Set<SQLIdentifier>?

    /// Runs the statement and passes each row to a callback, which may run another query on the same connection.
    /// - Parameter connection: see ``tablesRead(on:)``.
    func run(
        _ parameters: UnsafeBufferPointer<StoreValue>, on connection: UnsafeMutableRawPointer,
        each: (borrowing StoreRow) throws -> Bool
    ) throws
}

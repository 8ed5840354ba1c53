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
        case closure((_ parameters: [StoreValue], _ each: (borrowing StoreRow) throws -> Bool) throws -> Void)
        case plan(MemoryPlan, of: UnsafeMutablePointer<MemoryDatabase>)
    }

    private let source: Source

    init(_ source: Source) { self.source = source }

    /// Creates a query for a store of your own; see ``StoreReader/init(prepare:)``.
    /// - Parameter run: runs the statement and passes each row to `each`, until that returns false. Its errors are
    ///   rethrown. `each` may run the same query again.
    public init(
        run: @escaping (_ parameters: [StoreValue], _ each: (borrowing StoreRow) throws -> Bool) throws -> Void
    ) {
        source = .closure(run)
    }

    /// - Parameter connection: the connection that prepared the statement; must stay valid as long as the query is
    ///   borrowed.
    package init(_ statement: any EngineStatement, on connection: UnsafeMutableRawPointer) {
        source = .statement(statement, on: connection)
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
        switch source {
        case .statement(let statement, let connection):
            try statement.run(parameters, on: connection, each: each)
        case .closure(let run):
            try run(Array(parameters), each)
        case .plan(let plan, let database):
            var resultSet = try database.pointee.run(plan, parameters).resultSet
            defer { resultSet?.swapBuffers(&database.pointee.resultBuffers) }
            try resultSet?.forEach(each)
        }
    }
}

/// Prepared read-only statement of a database engine outside this module.
package protocol EngineStatement: AnyObject {
    /// Runs the statement and passes each row to a callback, which may run another query on the same connection.
    /// - Parameter connection: the connection that prepared the statement.
    func run(
        _ parameters: UnsafeBufferPointer<StoreValue>, on connection: UnsafeMutableRawPointer,
        each: (borrowing StoreRow) throws -> Bool
    ) throws
}

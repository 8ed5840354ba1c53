public import Foundation

extension StoreReader {
    /// Runs one read-only statement and passes each row to a callback.
    /// - Parameter sql: one statement; interpolated values are its parameters.
    /// - Throws: what `query(_:_:each:)` throws.
    public func query(_ sql: SQL, each: (borrowing StoreRow) throws -> Bool) throws {
        try query(sql.text, sql.parameters, each: each)
    }

    /// Runs one read-only statement with positional parameters, and passes each row to a callback.
    /// - Throws: what ``query(_:_:each:)`` throws.
    @_disfavoredOverload
    public func query(
        _ sql: String, _ parameters: [(any StoreValueConvertible)?], each: (borrowing StoreRow) throws -> Bool
    ) throws {
        try query(SQL(verbatim: sql, parameters), each: each)
    }

    /// Runs one read-only statement with named parameters, and passes each row to a callback.
    /// - Throws: what ``query(_:_:each:)`` and ``SQL/init(verbatim:named:)`` throw.
    @_disfavoredOverload
    public func query(
        _ sql: String, _ parameters: [String: (any StoreValueConvertible)?],
        each: (borrowing StoreRow) throws -> Bool
    ) throws {
        try query(SQL(verbatim: sql, named: parameters), each: each)
    }

    /// Runs one read-only statement and returns its rows as JSON; see ``LocalStore/queryJSON(_:_:)``.
    /// - Throws: what `query(_:_:each:)` throws.
    public func queryJSON(_ sql: SQL) throws(StoreError) -> Data { try queryJSON(sql.text, sql.parameters) }

    /// Runs one read-only statement and returns its rows as JSON; see ``LocalStore/queryJSON(_:_:)``.
    /// - Throws: what `query(_:_:each:)` throws.
    public func queryJSON(_ sql: String, _ parameters: [StoreValue]) throws(StoreError) -> Data {
        try JSONRowWriter.json { try query(sql, parameters, each: $0) }
    }

    /// Runs one read-only statement and returns copies of its rows; meant for small result sets.
    /// - Throws: what `query(_:_:each:)` throws.
    public func rows(_ sql: SQL) throws -> [[StoreValue]] { try rows(sql.text, sql.parameters) }

    /// Runs one read-only statement and returns copies of its rows; meant for small result sets.
    /// - Throws: what `query(_:_:each:)` throws.
    public func rows(_ sql: String, _ parameters: [StoreValue]) throws -> [[StoreValue]] {
        try StoreRow.copies { try query(sql, parameters, each: $0) }
    }
}

extension PreparedQuery {
    /// Runs the statement with positional parameters: any ``StoreValueConvertible``, or nil for null.
    /// - Throws: what ``query(_:each:)`` throws.
    @_disfavoredOverload
    public func query(
        _ parameters: [(any StoreValueConvertible)?], each: (borrowing StoreRow) throws -> Bool
    ) throws {
        try query(parameters.map(\.storeValue), each: each)
    }
}

public import Foundation

// The forms with one argument take `SQL`, so that an interpolated literal never becomes text.
extension LocalStore {
    /// Runs one statement and discards its result set; see ``execute(_:_:)``.
    /// - Parameter sql: one statement; interpolated values are its parameters.
    /// - Returns: the number of rows that it inserted, updated or deleted.
    /// - Throws: what ``execute(_:_:)`` throws.
    @discardableResult
    public func execute(_ sql: SQL) throws(StoreError) -> Int { try execute(sql.text, sql.parameters) }

    /// Runs one statement with positional parameters: any ``StoreValueConvertible``, or nil for null.
    /// - Returns: the number of rows that it inserted, updated or deleted.
    /// - Throws: what ``execute(_:_:)`` throws.
    @discardableResult @_disfavoredOverload
    public func execute(_ sql: String, _ parameters: [(any StoreValueConvertible)?]) throws(StoreError) -> Int {
        try execute(SQL(verbatim: sql, parameters))
    }

    /// Runs one statement with named parameters; see ``SQL/init(verbatim:named:)``.
    /// - Returns: the number of rows that it inserted, updated or deleted.
    /// - Throws: what ``execute(_:_:)`` and ``SQL/init(verbatim:named:)`` throw.
    @discardableResult @_disfavoredOverload
    public func execute(
        _ sql: String, _ parameters: [String: (any StoreValueConvertible)?]
    ) throws(StoreError) -> Int {
        try execute(SQL(verbatim: sql, named: parameters))
    }

    /// Runs one statement and passes each row of its result set to a callback; see ``query(_:_:each:)``.
    /// - Parameter sql: one statement; interpolated values are its parameters.
    /// - Throws: what ``query(_:_:each:)`` throws.
    public func query(_ sql: SQL, each: (borrowing StoreRow) throws -> Bool) throws {
        try query(sql.text, sql.parameters, each: each)
    }

    /// Runs one statement with positional parameters, and passes each row to a callback.
    /// - Throws: what ``query(_:_:each:)`` throws.
    @_disfavoredOverload
    public func query(
        _ sql: String, _ parameters: [(any StoreValueConvertible)?], each: (borrowing StoreRow) throws -> Bool
    ) throws {
        try query(SQL(verbatim: sql, parameters), each: each)
    }

    /// Runs one statement with named parameters, and passes each row to a callback.
    /// - Throws: what ``query(_:_:each:)`` and ``SQL/init(verbatim:named:)`` throw.
    @_disfavoredOverload
    public func query(
        _ sql: String, _ parameters: [String: (any StoreValueConvertible)?],
        each: (borrowing StoreRow) throws -> Bool
    ) throws {
        try query(SQL(verbatim: sql, named: parameters), each: each)
    }

    /// Runs one statement and returns its rows as JSON; see ``queryJSON(_:_:)``.
    /// - Throws: what ``execute(_:_:)`` throws.
    public func queryJSON(_ sql: SQL) throws(StoreError) -> Data { try queryJSON(sql.text, sql.parameters) }

    /// Runs one statement and returns copies of its rows; meant for small result sets.
    /// - Throws: what ``execute(_:_:)`` throws.
    public func rows(_ sql: SQL) throws -> [[StoreValue]] { try rows(sql.text, sql.parameters) }

    /// Runs one statement and returns copies of its rows; meant for small result sets.
    /// - Throws: what ``execute(_:_:)`` throws.
    public func rows(_ sql: String, _ parameters: [StoreValue]) throws -> [[StoreValue]] {
        try StoreRow.copies { try query(sql, parameters, each: $0) }
    }
}

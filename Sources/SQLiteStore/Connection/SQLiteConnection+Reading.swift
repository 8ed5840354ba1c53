import StoreCore

extension SQLiteConnection {
    /// Passes a reader of one snapshot: the committed state or, in a transaction, that transaction's state.
    mutating func readSnapshot<Result>(_ body: (borrowing StoreReader) throws -> Result) throws -> Result {
        try atomically(readOnly: true) { connection in
            try connection.takeSnapshot()
            return try withUnsafeMutablePointer(to: &connection) { try Self.read($0, body) }
        }
    }

    /// Passes a reader of this connection, which is accessed only while the reader prepares or replaces a statement.
    private static func read<Result>(
        _ connection: UnsafeMutablePointer<SQLiteConnection>, _ body: (borrowing StoreReader) throws -> Result
    ) throws -> Result {
        let reader = StoreReader { sql throws(StoreError) in
            PreparedQuery(try connection.pointee.query(sql), on: UnsafeMutableRawPointer(connection))
        }
        return try body(reader)
    }

    /// Prepares a caller's read-only statement, or returns the cached one.
    /// - Throws: `StoreError`: `misuse` when it writes, or depends on the last write.
    mutating func query(_ text: String) throws(StoreError) -> SQLiteStatement {
        try checkTransaction()
        let statement = try statement(text)
        guard statement.canRunOnReader else { throw StoreReader.writeRefused }
        return statement
    }

    /// The statement, or a second copy of it while it is running.
    func runnable(_ statement: SQLiteStatement) throws(StoreError) -> SQLiteStatement {
        try checkTransaction()
        return statement.isRunning ? try compile(statement.sql, isInternal: false) : statement
    }
}

extension SQLiteStatement: EngineStatement {
    func tablesRead(on connection: UnsafeMutableRawPointer) -> Set<SQLIdentifier>? { effects.tablesRead }

    func run(
        _ parameters: UnsafeBufferPointer<StoreValue>, on connection: UnsafeMutableRawPointer,
        each: (borrowing StoreRow) throws -> Bool
    ) throws {
        let connection = connection.assumingMemoryBound(to: SQLiteConnection.self)
        // The connection is accessed only before and after the rows, so a callback may run another query on it.
        let statement = try connection.pointee.runnable(self)
        var current: SQLiteStatement?
        defer { if let current { connection.pointee.replace(statement, with: current) } }
        try statement.run(parameters, current: &current, each: each)
    }
}

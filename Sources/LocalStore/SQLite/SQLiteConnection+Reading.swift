extension SQLiteConnection {
    /// Passes a reader of one snapshot: the committed state or, in a transaction, that transaction's state.
    mutating func readSnapshot<Result>(_ body: (borrowing StoreReader) throws -> Result) throws -> Result {
        try atomically(readOnly: true) { connection in
            try connection.takeSnapshot()
            return try withUnsafeMutablePointer(to: &connection) { try body(StoreReader(.connection($0))) }
        }
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

extension SQLiteConnection {
    /// Lends a reader of what is committed now or, in a transaction, of what is seen there.
    mutating func readOneState<Result>(_ body: (borrowing StoreReader) throws -> Result) throws -> Result {
        try atomically(onlyReads: true) { connection in
            try connection.chooseState()
            return try withUnsafeMutablePointer(to: &connection) { try body(StoreReader(.connection($0))) }
        }
    }

    /// Compiles a caller's statement that only reads, or finds it compiled.
    /// - Throws: `StoreError`: `misuse` when it writes, or asks what was written.
    mutating func query(_ text: String) throws(StoreError) -> SQLiteStatement {
        try checkTransaction()
        let statement = try statement(text)
        guard statement.isForReaders else { throw StoreReader.readsOnly }
        return statement
    }

    /// A statement that may be run now: one that is running is compiled once more.
    func available(_ statement: SQLiteStatement) throws(StoreError) -> SQLiteStatement {
        try checkTransaction()
        return statement.isRunning ? try compile(statement.sql, isOwn: false) : statement
    }
}

import StoreCore

/// Statements that begin and end one transaction level: a transaction at depth 0, a savepoint below.
struct TransactionLevel: Sendable {
    let begin: SQLiteStatement
    /// Begins a deferred transaction, which does not wait for the write lock.
    let beginReadOnly: SQLiteStatement
    let commit: SQLiteStatement
    let rollback: [SQLiteStatement]

    /// Prepares the statements.
    /// - Parameter depth: the number of enclosing transactions.
    init(depth: Int, on connection: borrowing SQLiteConnection) throws(StoreError) {
        let part = "part_\(depth)"
        begin = try connection.compile(SQLText(depth == 0 ? "BEGIN IMMEDIATE" : "SAVEPOINT \(part)"))
        beginReadOnly = depth == 0 ? try connection.compile(SQLText("BEGIN")) : begin
        commit = try connection.compile(SQLText(depth == 0 ? "COMMIT" : "RELEASE \(part)"))
        var rollback: [SQLiteStatement] = []
        for text in depth == 0 ? ["ROLLBACK"] : ["ROLLBACK TO \(part)", "RELEASE \(part)"] {
            rollback.append(try connection.compile(SQLText(text)))
        }
        self.rollback = rollback
    }
}

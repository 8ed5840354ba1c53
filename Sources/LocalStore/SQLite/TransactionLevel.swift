/// The statements that begin and end a transaction, or a part of one.
struct TransactionLevel: Sendable {
    let begin: SQLiteStatement
    /// Begins one that writes nothing, and waits for nobody who does.
    let beginReading: SQLiteStatement
    let commit: SQLiteStatement
    let rollback: [SQLiteStatement]

    /// Compiles them.
    /// - Parameter depth: how many transactions are open around it.
    init(depth: Int, on connection: borrowing SQLiteConnection) throws(StoreError) {
        let part = "part_\(depth)"
        begin = try connection.compile(SQLText(depth == 0 ? "BEGIN IMMEDIATE" : "SAVEPOINT \(part)"))
        beginReading = depth == 0 ? try connection.compile(SQLText("BEGIN")) : begin
        commit = try connection.compile(SQLText(depth == 0 ? "COMMIT" : "RELEASE \(part)"))
        var rollback: [SQLiteStatement] = []
        for text in depth == 0 ? ["ROLLBACK"] : ["ROLLBACK TO \(part)", "RELEASE \(part)"] {
            rollback.append(try connection.compile(SQLText(text)))
        }
        self.rollback = rollback
    }
}

public import Foundation

/// Embedded database: tables, SQL and transactions.
///
/// *Use* it from any thread. Every call is synchronous: it either returns with its changes committed, or throws with
/// nothing changed.
///
/// ```swift
/// try store.transaction {
///     try store.execute("INSERT INTO jack VALUES (?, ?)", [7, "plate"])
///     try store.execute("DELETE FROM jack WHERE id = ?", [6])
/// }
/// ```
///
/// *Choose* `MemoryStore` of the module `LocalStore`, which works everywhere, or `SQLiteStore` of the module of the
/// same name, which keeps its tables in a file. The SQL is SQLite's, with SQLite's types and conversions. SQL that a
/// store does not support throws `unsupportedSQL`; it never gives a different result. Where SQL leaves the order of
/// rows open, stores may differ: use ORDER BY where it matters, also beside LIMIT.
///
/// *Implement* it so that it passes `StoreConformance` of the module `StoreTestKit`. Make rows with
/// ``StoreRow/init(columnNames:values:)``, readers with ``StoreReader/init(prepare:)`` and
/// `PreparedQuery.init(run:)`, and subscriptions with ``StoreSubscribers``:
///
/// - There is one writer at a time. A writing call waits for the current writer, then times out with `busy`.
/// - Readers see committed data. Where the store supports it, they read while another thread writes.
/// - A thread's calls inside its own `transaction(_:)` belong to that transaction and never wait for it.
/// - A call to the store from within one of its row callbacks works or throws `misuse`; it never deadlocks.
/// - No lock is held while a callback, a transaction body or a subscriber runs.
/// - A write to a table that ``protectedTables`` protects throws `misuse` and changes nothing.
/// - Values are passed as parameters only and never appear in errors.
public protocol LocalStore: Sendable {
    /// Runs one statement and discards its result set.
    ///
    /// `BEGIN`, `COMMIT`, `ROLLBACK`, `SAVEPOINT` and `RELEASE` throw `misuse`: see `transaction(_:)`.
    /// - Parameters:
    ///   - sql: one statement, with `?` or `?1` for each parameter.
    ///   - parameters: one value for each parameter.
    /// - Returns: the number of rows that the statement itself inserted, updated or deleted; 0 for other statements.
    /// - Throws: ``StoreError``: `invalidArgument` when the number of parameters is wrong; `syntax` when the text has
    ///   no statement or several.
    @discardableResult
    func execute(_ sql: String, _ parameters: [StoreValue]) throws(StoreError) -> Int

    /// Runs one statement, reading or writing, and passes each row of its result set to a callback.
    /// - Parameters:
    ///   - each: reads a row, on the calling thread; false ends the query. Its error is rethrown. If `each` throws, a
    ///     writing statement is rolled back; if `each` returns false, all its changes are kept.
    /// - Throws: what ``execute(_:_:)`` throws, and what `each` throws.
    func query(
        _ sql: String, _ parameters: [StoreValue], each: (borrowing StoreRow) throws -> Bool
    ) throws

    /// Runs several queries on one snapshot of the store.
    ///
    /// The snapshot is the last committed state or, inside a transaction, that transaction's state. Later changes are
    /// not visible. Many small queries are fastest here, since they share the setup of one read. Keep it short: changes
    /// made meanwhile are stored twice, in memory or in the write-ahead log.
    /// - Parameter body: reads, on the calling thread. A call to the store itself from within it works or throws
    ///   `misuse`; it never deadlocks.
    /// - Throws: ``StoreError``; what `body` throws.
    func read<Result>(_ body: (borrowing StoreReader) throws -> Result) throws -> Result

    /// Runs several queries on one snapshot of the store, on one of its ``threads``.
    ///
    /// ```swift
    /// let titles = try await store.read { reader in try reader.values(of: String.self, "SELECT title FROM note") }
    /// ```
    ///
    /// The calling task suspends meanwhile, and `body` has its task-local values. When the task is cancelled, the call
    /// throws `interrupted`: its wait for a thread and a query that runs long end at once, and no other query begins.
    ///
    /// A store of your own implements it with ``StoreThreads/read(_:_:)``, in the type itself: otherwise the compiler
    /// takes the synchronous form for it, which blocks the calling thread.
    /// - Throws: what the synchronous form throws; ``StoreError`` `interrupted`.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreReader) throws -> Result
    ) async throws -> Result

    /// Returns the schema of a table, or nil when no table has that name.
    func schema(of table: SQLIdentifier) throws(StoreError) -> TableSchema?

    /// Drops `table`, if it exists, and renames `replacement` to its name, atomically.
    ///
    /// Readers see either the old or the new table.
    /// - Throws: ``StoreError``: `noSuchTable` when `replacement` does not exist; `constraint` when a foreign key of
    ///   another table references `table`, outside ``schemaTransaction(_:)``.
    func swapTable(_ table: SQLIdentifier, for replacement: SQLIdentifier) throws(StoreError)

    /// Inserts rows. All rows or none.
    ///
    /// Columns that the batch lacks get their default value. Null in an `INTEGER PRIMARY KEY` column makes the store
    /// choose the key.
    /// - Returns: the number of rows in the batch.
    /// - Throws: ``StoreError``: `noSuchTable`; `noSuchColumn`; `constraint` for an existing key and for other violated
    ///   constraints.
    @discardableResult
    func insert(_ batch: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int

    /// Inserts the only row of a batch; see ``insert(_:into:)``.
    ///
    /// The default implementation runs ``insert(_:into:)`` and `SELECT last_insert_rowid()` in a transaction.
    /// - Returns: the rowid, which is also the value of an `INTEGER PRIMARY KEY` column; 0 for a table WITHOUT ROWID,
    ///   after which `last_insert_rowid()` is still the rowid of the insertion before.
    /// - Throws: what ``insert(_:into:)`` throws; ``StoreError`` `invalidArgument` when there is not exactly one row.
    @discardableResult
    func insertRow(_ row: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int64

    /// Inserts rows, or updates the batch's columns of existing rows with the same primary key. All rows or none.
    ///
    /// Of rows with the same key in one batch the last one wins. The batch must have every NOT NULL column, even if all
    /// rows exist.
    /// - Returns: the number of rows in the batch.
    /// - Throws: ``StoreError``: `noSuchTable`; `noSuchColumn`; `invalidArgument` when the table has no primary key or
    ///   the batch lacks a column of it; `constraint` for a null key and for other violated constraints.
    @discardableResult
    func upsert(_ batch: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int

    /// Deletes the rows whose values in the batch's columns equal a row of the batch. All rows or none.
    ///
    /// Null equals nothing, as in SQL.
    /// - Returns: the number of deleted rows. A missing row is not an error.
    /// - Throws: ``StoreError``: `noSuchTable`; `noSuchColumn`.
    @discardableResult
    func delete(_ keys: RowBatch, from table: SQLIdentifier) throws(StoreError) -> Int

    /// Runs a transaction: commits when `body` returns, and rolls back when it throws.
    ///
    /// It contains the calls to the store that this thread makes from within `body`. Other threads see its changes
    /// after the commit. A nested transaction is a savepoint, which rolls back by itself.
    /// - Throws: what `body` throws; ``StoreError``: `busy`, or the error of the commit. It was rolled back then.
    @discardableResult
    func transaction<Result>(_ body: () throws -> Result) throws -> Result

    /// Runs a transaction on the store's thread for writes.
    ///
    /// The calling task suspends meanwhile, and `body` has its task-local values. Transactions run in the order of the
    /// calls. When the task is cancelled before `body` has returned, the call throws `interrupted` and changes nothing:
    /// its wait and a statement that runs long end at once, and no other statement begins. To clean up in a cancelled
    /// task, use synchronous calls, or another task. A store of your own implements it with
    /// ``StoreThreads/transaction(_:_:)``; see the async form of `read`.
    ///
    /// In `body`, use the synchronous form: one that blocks there until an async transaction ends waits for itself, and
    /// that one throws `misuse` after the store's busy timeout. A task that `body` starts may await one, which runs
    /// afterwards.
    /// - Throws: what the synchronous form throws; ``StoreError``: `interrupted`; `busy` after the busy timeout.
    @discardableResult
    func transaction<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result

    /// Runs a transaction that may rebuild tables: foreign keys are checked before its commit, not by each statement.
    ///
    /// A table that others refer to can be dropped and created again in it. ``StoreMigrator`` runs its steps that way.
    /// Inside another transaction it is a savepoint, and foreign keys are checked by each statement. The default
    /// implementation runs `transaction(_:)`, which is right for a store without foreign keys; a store over another
    /// one calls that one's.
    /// - Throws: ``StoreError``: `constraint` for a row without the row that its foreign key names; what
    ///   `transaction(_:)` throws.
    @discardableResult
    func schemaTransaction<Result>(_ body: () throws -> Result) throws -> Result

    /// Subscribes to changes: calls `handler` once after each commit that changed a table.
    ///
    /// Changes to the project's own tables (prefix `patchbay_`) are not reported.
    /// - Parameter handler: called on the committing thread, outside any lock, before the committing call returns. Keep
    ///   it fast. It may use the store, and close it, but must not wait for a sequence of changes to end, which ends
    ///   after the handlers of the last commit. They may still be called when another thread has closed the store.
    /// - Returns: a token; the handler is called as long as the token is retained and not cancelled.
    func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription

    /// The store's table protection during a delta: always the same object, or that of the store below this one.
    ///
    /// Each call that writes tables passes their names to its ``ProtectedTables/check(_:)``, before it writes or before
    /// it commits. If that throws, the call is rolled back and rethrows the error.
    var protectedTables: ProtectedTables { get }

    /// The store's threads for its async calls: always the same object, or that of the store below this one.
    var threads: StoreThreads { get }

    /// Ends the statements that run now, in any thread, with `interrupted`.
    ///
    /// So do calls that wait for the store, and the callbacks of rows. A writing call is rolled back. In a transaction
    /// the statement throws; rethrow its error, since SQLite has rolled the whole transaction back by then, if the
    /// statement writes. Statements that begin later are not affected. A call that is about to end may succeed.
    ///
    /// In a task that is cancelled meanwhile, a synchronous call also ends with `interrupted` when it waits or runs
    /// long. Short ones succeed there, so that the task can clean up.
    func interrupt()

    /// Closes the store after the calls in progress; later calls throw `closed`. Closing twice has no effect.
    ///
    /// Reads in progress that run long end with `interrupted`; transactions are waited for. The sequences of changes
    /// end then, with ``StoreSubscribers/finish()``.
    /// - Throws: ``StoreError``: `misuse` from within a transaction or a callback of the store; `busy` when a call in
    ///   progress takes too long. The store then stays open.
    func close() throws(StoreError)
}

extension LocalStore {
    /// Runs one statement and returns its rows as a JSON array of objects, one member a column.
    ///
    /// The text is UTF-8 without white space; an empty result set is `[]`. Integers are exact, invalid UTF-8 becomes
    /// U+FFFD, a blob is a Base64 string, null and infinite numbers are `null`. Of columns with the same name only the
    /// last one is written.
    /// - Throws: what ``execute(_:_:)`` throws.
    public func queryJSON(_ sql: String, _ parameters: [StoreValue]) throws(StoreError) -> Data {
        try JSONRowWriter.json { try query(sql, parameters, each: $0) }
    }

    /// Creates a table with the statement ``TableSchema/createStatement()``.
    /// - Throws: ``StoreError``: `tableExists`; `invalidArgument` as in ``TableSchema/createStatement()``.
    public func createTable(_ schema: TableSchema) throws(StoreError) { try execute(try schema.createStatement(), []) }

    /// Returns the names of the tables, sorted bytewise.
    ///
    /// Views, SQLite's internal tables, and the project's own tables (prefix `patchbay_`) are left out.
    /// - Parameter pattern: a SQL `LIKE` pattern (`%` any text, `_` any character), ignoring the case of ASCII letters;
    ///   default nil: all tables.
    public func tableNames(like pattern: String? = nil) throws(StoreError) -> [String] {
        let list: SQL = """
            SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
            AND name LIKE \(pattern ?? "%") ORDER BY name
            """
        let names = try rethrowingStoreErrors { try values(of: String.self, list) }
        return names.filter { !SQLIdentifier($0).isReserved }
    }

    /// Runs a transaction.
    @discardableResult
    public func schemaTransaction<Result>(_ body: () throws -> Result) throws -> Result { try transaction(body) }
}

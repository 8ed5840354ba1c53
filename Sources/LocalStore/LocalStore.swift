public import Foundation

/// A database on this machine: tables, SQL, transactions.
///
/// *Use* it from any thread. Every call is synchronous: it returns when it is done, and what it changed is committed
/// then, or throws and has changed nothing.
///
/// ```swift
/// try store.transaction {
///     try store.execute("INSERT INTO jack VALUES (?, ?)", [7, "plate"])
///     try store.execute("DELETE FROM jack WHERE id = ?", [6])
/// }
/// ```
///
/// *Choose* a `MemoryStore`, which works everywhere, or a `SQLiteStore`, which keeps its tables in a file. The SQL is
/// SQLite's, with SQLite's types and conversions; what a store does not know of it is refused with
/// ``StoreError/Code/unsupportedSQL``, and is never answered differently.
///
/// *Implement* it so that it passes the suite in `Tests/LocalStoreTests/Conformance`:
///
/// - One writer at a time. A call that writes waits for the one under way, and gives up with `busy` in the end.
/// - Readers see what is committed. Where the store can, they read while another thread writes.
/// - A thread's calls from within its own ``transaction(_:)`` belong to that transaction; they never wait for it.
/// - A call from within a row's callback of the same store works, or throws `misuse`; it never hangs.
/// - No lock is held while a callback, a transaction's body or a subscriber runs.
/// - Values come in as parameters only and stay out of errors.
public protocol LocalStore: Sendable {
    /// Runs one statement; the rows of an answer, if any, are left unread.
    ///
    /// `BEGIN`, `COMMIT`, `ROLLBACK`, `SAVEPOINT` and `RELEASE` throw `misuse`: see ``transaction(_:)``.
    /// - Parameters:
    ///   - sql: one statement, with `?` or `?1` for each parameter.
    ///   - parameters: the values, as many as the statement has parameters.
    /// - Returns: how many rows were inserted, updated or deleted by the statement itself; 0 for any other statement.
    /// - Throws: ``StoreError``: `invalidArgument` when there are more or fewer parameters; `syntax` when there is no
    ///   statement, or more than one.
    @discardableResult
    func execute(_ sql: String, _ parameters: [StoreValue]) throws(StoreError) -> Int

    /// Runs one statement and hands over its rows, one after the other. A statement that writes does so too.
    /// - Parameters:
    ///   - each: reads a row, on the calling thread; false ends the query. What it throws is thrown on. A statement
    ///     that writes has then written nothing if `each` threw, and all that it would have if `each` was false.
    /// - Throws: what ``execute(_:_:)`` throws, and what `each` throws.
    func query(
        _ sql: String, _ parameters: [StoreValue], each: (borrowing StoreRow) throws -> Bool
    ) throws

    /// Runs one statement and gives its rows as JSON: an array of objects with a member for each column, in UTF-8,
    /// without white space. A statement without rows gives `[]`.
    ///
    /// Null is `null`, integers are exact, text is a string (bytes that are not UTF-8 become U+FFFD), a blob is a
    /// string in Base64, an infinite number is `null`. Of columns with the same name only the last one is given.
    /// - Throws: what ``execute(_:_:)`` throws.
    func queryJSON(_ sql: String, _ parameters: [StoreValue]) throws(StoreError) -> Data

    /// Reads one state of the store, as often as `body` likes: what was committed when it began or, for a thread in a
    /// transaction, what is seen there. Changes made meanwhile are not seen.
    ///
    /// It is also the fast way to many small queries, which share what each would otherwise do anew. Let it not take
    /// long: what is changed meanwhile has to be kept twice, in memory or in the file's log.
    /// - Parameter body: reads, on the calling thread. A call of the store itself from within it works, or throws
    ///   `misuse`; it never hangs.
    /// - Throws: ``StoreError``; what `body` throws.
    func read<Result>(_ body: (borrowing StoreReader) throws -> Result) throws -> Result

    /// Makes a table.
    /// - Throws: ``StoreError``: `tableExists`; `invalidArgument` as ``TableSchema/createStatement()`` says.
    func create(_ schema: TableSchema) throws(StoreError)

    /// What a table is made of.
    /// - Returns: nil when there is no table of that name.
    func schema(of table: SQLIdentifier) throws(StoreError) -> TableSchema?

    /// The names of the tables, sorted by their bytes. Views are left out, SQLite's own tables, and
    /// those of this project, whose names start with `patchbay_`.
    /// - Parameter pattern: a pattern of SQL's `LIKE`, with `%` for any text and `_` for any character, in any case of
    ///   ASCII letters; nil for all tables.
    func tables(like pattern: String?) throws(StoreError) -> [String]

    /// Puts a table in the place of another: drops `table`, if it is there, and gives its name to `replacement`.
    /// Readers see the old or the new one, never none.
    /// - Throws: ``StoreError``: `noSuchTable` when there is no `replacement`.
    func replace(_ table: SQLIdentifier, with replacement: SQLIdentifier) throws(StoreError)

    /// Inserts rows; where a row of the same primary key is there, sets the columns of the batch in it. All rows or
    /// none. Of rows with the same key in one batch the last one stays. A column that refuses null has to be in the
    /// batch, even if all rows are there.
    /// - Returns: how many rows were inserted or updated, the rows of a batch counted one by one.
    /// - Throws: ``StoreError``: `noSuchTable`; `noSuchColumn`; `invalidArgument` when the table has no primary key or
    ///   the batch lacks a column of it; `constraint` when a cell of the key is null, and for other broken rules.
    @discardableResult
    func upsert(_ batch: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int

    /// Deletes the rows that have, in the columns of the batch, the values of one of its rows. All or none. Null is
    /// equal to nothing.
    /// - Returns: how many rows were deleted. A row that was not there is no error.
    /// - Throws: ``StoreError``: `noSuchTable`; `noSuchColumn`.
    @discardableResult
    func delete(_ keys: RowBatch, from table: SQLIdentifier) throws(StoreError) -> Int

    /// Runs a transaction: this thread's calls to the store from within `body` are committed together when `body`
    /// returns, and rolled back when it throws. Other threads see nothing of it before.
    ///
    /// Within another one it is a part of it, which may be rolled back by itself.
    /// - Throws: what `body` throws; ``StoreError``: `busy`, or what the commit throws; then it was rolled back.
    @discardableResult
    func transaction<Result>(_ body: () throws -> Result) throws -> Result

    /// Hears of every transaction that changed something, once, after its commit. Tables whose names start with
    /// `patchbay_` are the project's own; nothing is told of them.
    /// - Parameter handler: called on the thread that committed, in no lock, before the call that committed returns; so
    ///   it should be quick. It may use the store.
    /// - Returns: keep it; the handler is called only while it lives.
    func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription

    /// Waits for the calls under way, then closes the store; every later call throws `closed`. Closing again does
    /// nothing.
    /// - Throws: ``StoreError``: `misuse` from within a transaction or a callback of the store; `busy` when a call
    ///   under way takes too long. The store is open then.
    func close() throws(StoreError)
}

extension LocalStore {
    /// Runs one statement without parameters.
    /// - Returns: how many rows it inserted, updated or deleted.
    /// - Throws: what ``execute(_:_:)`` throws.
    @discardableResult
    public func execute(_ sql: String) throws(StoreError) -> Int { try execute(sql, []) }

    /// Runs one statement without parameters and hands over its rows.
    /// - Throws: what ``query(_:_:each:)`` throws.
    public func query(_ sql: String, each: (borrowing StoreRow) throws -> Bool) throws {
        try query(sql, [], each: each)
    }

    /// Runs one statement without parameters and gives its rows as JSON.
    /// - Throws: what ``execute(_:_:)`` throws.
    public func queryJSON(_ sql: String) throws(StoreError) -> Data { try queryJSON(sql, []) }

    /// The names of all tables, sorted by their bytes.
    public func tables() throws(StoreError) -> [String] { try tables(like: nil) }

    /// Runs one statement and gives copies of its rows; for answers of a few rows.
    /// - Throws: what ``execute(_:_:)`` throws.
    public func rows(_ sql: String, _ parameters: [StoreValue] = []) throws -> [[StoreValue]] {
        try StoreRow.copies { try query(sql, parameters, each: $0) }
    }
}

@_exported public import StoreCore
import Synchronization
import SystemLibraries

/// An in-memory column store with its own SQL engine, on every platform; a journal makes it durable.
///
/// ```swift
/// let store = MemoryStore()
/// try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY, label TEXT)")
/// try store.execute("INSERT INTO jack VALUES (?, ?)", [7, "plate"])
/// ```
///
/// The SQL is SQLite's for one table at a time: SELECT with expressions, WHERE, DISTINCT, GROUP BY, HAVING, ORDER BY,
/// LIMIT and aggregate functions; INSERT, UPDATE and DELETE, with ON CONFLICT and RETURNING; CREATE, ALTER and DROP
/// TABLE; `PRAGMA user_version`; and the most used functions. Anything else throws `unsupportedSQL`. Results are those
/// of SQLite, with these exceptions:
///
/// - RETURNING gives and compares values as they are stored. SQLite 3.40 may give a whole number of a REAL column as an
///   INTEGER there, and compares without the conversions of the column's type.
/// - Text converts to the nearest REAL. SQLite's conversion may be off by one unit in the last place.
/// - Expressions may have more than 1,000 terms, but at most 40 levels of parentheses and 60 levels in all.
/// - A REAL converts to text with 15 digits of the exact value, rounded half up, as in SQLite since 3.43; an older one
///   may round a tie down.
/// - `id = -9223372036854775808.0` finds the smallest rowid, as it does in any other column: the numbers are equal.
///   SQLite 3.40 does not find it by `=` or `IN` in an `INTEGER PRIMARY KEY`.
/// - LIKE compares texts that are not valid UTF-8 by their bytes, SQLite by the code points that it reads from them.
/// - Without ORDER BY, the rows come in the order of their rowids, also to `group_concat`, LIMIT and the columns beside
///   an aggregate function. SQLite may take them in the order of the index of a `UNIQUE` or `PRIMARY KEY`.
/// - `rootpage` of `sqlite_master` is 0: there are no pages.
///
/// Where SQLite's behavior depends on build options, this store follows Debian's build.
///
/// While a thread is in a transaction, writing calls of other threads wait, in FIFO order. Reading calls wait briefly
/// for it to end, then read the state committed before it; the first such read copies the columns that the transaction
/// has changed so far. A result set is complete before its first row is passed to a callback, so a callback may call
/// the store, and does not change the result set that it reads.
public final class MemoryStore: LocalStore {
    /// Write protection of its tables; see ``/StoreCore/LocalStore/protectedTables``.
    public let protectedTables = ProtectedTables()
    /// Its threads for async calls; see ``/StoreCore/LocalStore/threads``.
    public let threads: StoreThreads
    let interrupts: InterruptCounter
    let shared: Mutex<MemoryState>
    let subscribers = StoreSubscribers()
    /// How long a call waits for another thread's transaction before it throws `busy`.
    let busyTimeout: Duration
    /// The file with the unfinished end that opening removed from the journal, `<path>.discarded`; nil if there was
    /// none.
    ///
    /// A killed process leaves such an end, with parts of a transaction that was not committed.
    public let discardedFile: String?

    /// Creates an empty store without a journal; its contents end with the last reference to it.
    /// - Parameters:
    ///   - busyTimeout: how long a call waits for another thread's transaction before it throws `busy`.
    ///   - allowsDoubleQuotedText: true to take a name in double quotes as text where it names no column, for
    ///     statements that were written for SQLite's default; default false: it is `noSuchColumn`.
    public init(busyTimeout: Duration = .seconds(5), allowsDoubleQuotedText: Bool = false) {
        interrupts = InterruptCounter()
        shared = Mutex(MemoryState(allowsDoubleQuotedText: allowsDoubleQuotedText, interrupts))
        discardedFile = nil
        self.busyTimeout = busyTimeout
        threads = StoreThreads(busyTimeout: busyTimeout)
    }

    /// An empty store with known hashes, for tests.
    init(seed: HashSeed) {
        interrupts = InterruptCounter()
        shared = Mutex(MemoryState(seed: seed, interrupts))
        discardedFile = nil
        busyTimeout = .seconds(5)
        threads = StoreThreads()
    }

    /// Opens a store with a journal, or creates one.
    /// - Parameters:
    ///   - journal: the journal's settings.
    ///   - busyTimeout: how long a call waits for another thread's transaction before it throws `busy`.
    ///   - allowsDoubleQuotedText: see ``init(busyTimeout:allowsDoubleQuotedText:)``; default false.
    /// - Throws: `StoreError`: `busy`, at once, if another store has the journal open, in this process or another;
    ///   `io`; `full`; `corrupt` if the file is not a journal or is damaged, and then it is left unchanged;
    ///   `invalidArgument` if the path contains NUL.
    public convenience init(
        journal: MemoryJournalConfiguration, busyTimeout: Duration = .seconds(5), allowsDoubleQuotedText: Bool = false
    ) throws(StoreError) {
        try self.init(
            journal: journal, disk: .system, busyTimeout: busyTimeout, allowsDoubleQuotedText: allowsDoubleQuotedText)
    }

    /// Opens a store whose journal is written through `disk`.
    package init(
        journal: MemoryJournalConfiguration, disk: JournalDisk, busyTimeout: Duration = .seconds(5),
        allowsDoubleQuotedText: Bool = false
    ) throws(StoreError) {
        interrupts = InterruptCounter()
        var state = MemoryState(allowsDoubleQuotedText: allowsDoubleQuotedText, interrupts)
        state.journal = try MemoryJournal.open(journal, disk: disk, into: &state.database)
        discardedFile = state.journal?.replay.discardedFile
        shared = Mutex(state)
        self.busyTimeout = busyTimeout
        threads = StoreThreads(busyTimeout: busyTimeout)
    }

    /// Runs one statement; see ``/StoreCore/LocalStore/execute(_:_:)``.
    @discardableResult
    public func execute(_ sql: String, _ parameters: [StoreValue]) throws(StoreError) -> Int {
        try parameters.withUnsafeBufferPointer { parameters throws(StoreError) in
            try perform { database throws(StoreError) in try database.run(sql, parameters).count }
        }
    }

    /// Runs one statement and passes its rows to `each`; see `LocalStore.query(_:_:each:)`.
    @inlinable
    public func query(
        _ sql: String, _ parameters: [StoreValue], each: (borrowing StoreRow) throws -> Bool
    ) throws {
        // Inlined, so that a caller's array of parameters need not be allocated.
        try parameters.withUnsafeBufferPointer { try run(sql, $0, each: each) }
    }

    @usableFromInline
    func run(
        _ sql: String, _ parameters: UnsafeBufferPointer<StoreValue>, each: (borrowing StoreRow) throws -> Bool
    ) throws {
        if try visitRows(of: sql, parameters, defersReturning: true, each) { return }
        // If `each` throws, the changes that it read by RETURNING are rolled back.
        try transaction { _ = try visitRows(of: sql, parameters, defersReturning: false, each) }
    }

    /// - Returns: false if the statement was left for a transaction.
    private func visitRows(
        of sql: String, _ parameters: UnsafeBufferPointer<StoreValue>, defersReturning: Bool,
        _ each: (borrowing StoreRow) throws -> Bool
    ) throws -> Bool {
        var outcome = MemoryDatabase.Outcome()
        try run(sql, parameters, into: &outcome, defersReturning: defersReturning)
        defer { endReading(&outcome.resultSet) }
        try outcome.resultSet?.forEach(outcome.interruption, each)
        return !outcome.needsTransaction
    }

    /// Reads one snapshot of the store; see `LocalStore.read(_:)`. A table that changes meanwhile is copied once. A
    /// table that must be sorted first is also copied, and the sorted copy is kept.
    public func read<Result>(_ body: (borrowing StoreReader) throws -> Result) throws -> Result {
        var database = try beginReading()
        defer { endReading(&database) }
        return try withUnsafeMutablePointer(to: &database) { database in
            // The database is accessed only while a statement is prepared, so a callback may prepare another one.
            try body(
                StoreReader { sql throws(StoreError) in
                    PreparedQuery(try database.pointee.query(sql), on: UnsafeMutableRawPointer(database))
                })
        }
    }

    /// Reads one snapshot on the store's threads; see ``LocalStore``.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreReader) throws -> Result
    ) async throws -> Result {
        try await threads.read(self, body)
    }

    /// Runs a transaction on the store's threads; see ``LocalStore``.
    @discardableResult
    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await threads.transaction(self, body)
    }

    /// What a table is made of; see ``/StoreCore/LocalStore/schema(of:)``.
    public func schema(of table: SQLIdentifier) throws(StoreError) -> TableSchema? {
        try inspect { database throws(StoreError) in database.table(table)?.definition.schema }
    }

    /// Replaces a table with another; see ``/StoreCore/LocalStore/swapTable(_:for:)``.
    public func swapTable(_ table: SQLIdentifier, for replacement: SQLIdentifier) throws(StoreError) {
        try perform { database throws(StoreError) in try database.swapTable(table, for: replacement) }
    }

    /// Inserts rows; see ``/StoreCore/LocalStore/insert(_:into:)``.
    @discardableResult
    public func insert(_ batch: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int {
        try perform { database throws(StoreError) in _ = try database.insert(batch, into: try database.slot(table)) }
        return batch.rowCount
    }

    /// Inserts one row; see ``/StoreCore/LocalStore/insertRow(_:into:)``.
    @discardableResult
    public func insertRow(_ row: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int64 {
        try row.checkSingleRow()
        return try perform { database throws(StoreError) in
            try database.insert(row, into: try database.slot(table)) ?? 0
        }
    }

    /// Inserts or updates rows; see ``/StoreCore/LocalStore/upsert(_:into:)``.
    @discardableResult
    public func upsert(_ batch: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int {
        try perform { database throws(StoreError) in try database.upsert(batch, into: try database.slot(table)) }
    }

    /// Deletes rows; see ``/StoreCore/LocalStore/delete(_:from:)``.
    @discardableResult
    public func delete(_ keys: RowBatch, from table: SQLIdentifier) throws(StoreError) -> Int {
        try perform { database throws(StoreError) in try database.delete(keys, from: try database.slot(table)) }
    }

    /// Subscribes to changes; see ``/StoreCore/LocalStore/subscribe(_:)``.
    public func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription {
        subscribers.subscribe(handler)
    }
}

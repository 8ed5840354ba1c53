public import Foundation
import Synchronization
import SystemLibraries

/// A store in memory: tables in columns, with an SQL of its own, on every platform. With a journal it outlives the
/// process.
///
/// ```swift
/// let store = MemoryStore()
/// try store.execute("CREATE TABLE jack (id INTEGER PRIMARY KEY, label TEXT)")
/// try store.execute("INSERT INTO jack VALUES (?, ?)", [7, "plate"])
/// ```
///
/// Its SQL is a part of SQLite's: SELECT from one table with expressions, WHERE, ORDER BY, LIMIT and aggregate
/// functions; INSERT, UPDATE and DELETE; CREATE, ALTER and DROP TABLE; and the most used functions. All else throws
/// `unsupportedSQL`, and what is answered is answered as SQLite does it, with these exceptions:
///
/// - Text becomes the REAL that is nearest to it. SQLite's conversion may miss that one by a unit in the last place.
/// - An expression of more than 1,000 terms works, up to 40 levels of parentheses and 60 levels in all.
/// - A REAL as text is the exact value's first 15 digits, rounded half up, as in SQLite since 3.43; an older one may
///   round a tie down.
/// - `rootpage` of `sqlite_master` is 0: there are no pages.
/// - Where the largest rowid is in use, a row that asks for none is refused; SQLite tries others at random.
///
/// Where SQLite's own answer depends on how it was built, that of Debian's is given.
///
/// While a thread is in a transaction, calls of other threads that change something wait, in the order in which they
/// came. Those that only read give a short transaction the time to end, and then see what was committed before it: the
/// first of them copies the columns that the transaction has changed so far. An answer is whole before its first row is
/// handed over, so a callback may call the store, and changes nothing in the answer that it is reading.
public final class MemoryStore: LocalStore {
    let shared: Mutex<MemoryState>
    let subscribers = StoreSubscribers()
    /// How long a call waits for another thread's transaction.
    let patience: Duration

    /// An empty store that is gone with the last reference to it.
    /// - Parameter patience: how long a call waits for another thread's transaction before it throws `busy`.
    public init(patience: Duration = .seconds(5)) {
        shared = Mutex(MemoryState())
        self.patience = patience
    }

    /// An empty store whose hashes are known, for tests.
    init(seed: HashSeed) {
        shared = Mutex(MemoryState(seed: seed))
        patience = .seconds(5)
    }

    /// Opens a store that keeps a journal, or makes one.
    /// - Parameters:
    ///   - journal: the journal's settings.
    ///   - patience: how long a call waits for another thread's transaction before it throws `busy`.
    /// - Throws: `StoreError`: `busy`, at once, when another store has the journal open, in this process or another;
    ///   `io`; `full`; `corrupt` when the file is no journal or is damaged other than at its end, and then it is left as
    ///   it is; `invalidArgument` when the path holds NUL.
    public convenience init(
        journal: MemoryJournalConfiguration, patience: Duration = .seconds(5)
    ) throws(StoreError) {
        try self.init(journal: journal, disk: .system, patience: patience)
    }

    /// Opens a store that keeps a journal, which is written with these calls.
    package init(
        journal: MemoryJournalConfiguration, disk: JournalDisk, patience: Duration = .seconds(5)
    ) throws(StoreError) {
        var state = MemoryState()
        state.journal = try MemoryJournal.open(journal, disk: disk, into: &state.database)
        shared = Mutex(state)
        self.patience = patience
    }

    /// Runs one statement; see ``LocalStore/execute(_:_:)``.
    @discardableResult
    public func execute(_ sql: String, _ parameters: [StoreValue]) throws(StoreError) -> Int {
        try parameters.withUnsafeBufferPointer { parameters throws(StoreError) in
            try perform { database throws(StoreError) in try database.run(sql, parameters).count }
        }
    }

    /// Runs one statement and hands over its rows; see ``LocalStore/query(_:_:each:)``.
    @inlinable
    public func query(
        _ sql: String, _ parameters: [StoreValue], each: (borrowing StoreRow) throws -> Bool
    ) throws {
        // Inlined, a caller's array of parameters need not be allocated.
        try parameters.withUnsafeBufferPointer { try run(sql, $0, each: each) }
    }

    @usableFromInline
    func run(
        _ sql: String, _ parameters: UnsafeBufferPointer<StoreValue>, each: (borrowing StoreRow) throws -> Bool
    ) throws {
        var outcome = MemoryDatabase.Outcome()
        try run(sql, parameters, into: &outcome, isCallback: true)
        defer { endReading(&outcome.answer) }
        try outcome.answer?.forEach(each)
    }

    /// Runs one statement and gives its rows as JSON; see ``LocalStore/queryJSON(_:_:)``.
    public func queryJSON(_ sql: String, _ parameters: [StoreValue]) throws(StoreError) -> Data {
        var outcome = MemoryDatabase.Outcome()
        try parameters.withUnsafeBufferPointer { parameters throws(StoreError) in
            try run(sql, parameters, into: &outcome)
        }
        return try outcome.answer?.json() ?? Data("[]".utf8)
    }

    /// Reads one state of the store; see ``LocalStore/read(_:)``. A table that is changed meanwhile is copied, once;
    /// so is one whose rows have to be brought into order first, and that is kept.
    public func read<Result>(_ body: (borrowing StoreReader) throws -> Result) throws -> Result {
        var database = try beginReading()
        defer { endReading(&database) }
        return try withUnsafeMutablePointer(to: &database) { try body(StoreReader(.database($0))) }
    }

    /// Makes a table; see ``LocalStore/create(_:)``.
    public func create(_ schema: TableSchema) throws(StoreError) {
        let sql = try schema.createStatement()
        try execute(sql, [])
    }

    /// What a table is made of; see ``LocalStore/schema(of:)``.
    public func schema(of table: SQLIdentifier) throws(StoreError) -> TableSchema? {
        try look { database throws(StoreError) in database.table(table)?.definition.schema }
    }

    /// The names of the tables; see ``LocalStore/tables(like:)``.
    public func tables(like pattern: String?) throws(StoreError) -> [String] {
        let names = try look { database throws(StoreError) in database.names.map(\.text) }
        var matching: [String] = []
        for name in names where !SQLIdentifier(name).isReserved {
            guard let pattern else {
                matching.append(name)
                continue
            }
            if try SQLPattern.matches(.like, .text(name), .text(pattern), escape: nil) == true { matching.append(name) }
        }
        return matching.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Puts a table in the place of another; see ``LocalStore/replace(_:with:)``.
    public func replace(_ table: SQLIdentifier, with replacement: SQLIdentifier) throws(StoreError) {
        try perform { database throws(StoreError) in try database.replace(table, with: replacement) }
    }

    /// Inserts or updates rows; see ``LocalStore/upsert(_:into:)``.
    @discardableResult
    public func upsert(_ batch: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int {
        try perform { database throws(StoreError) in try database.upsert(batch, into: try database.slot(table)) }
    }

    /// Deletes rows; see ``LocalStore/delete(_:from:)``.
    @discardableResult
    public func delete(_ keys: RowBatch, from table: SQLIdentifier) throws(StoreError) -> Int {
        try perform { database throws(StoreError) in try database.delete(keys, from: try database.slot(table)) }
    }

    /// Hears of changes; see ``LocalStore/subscribe(_:)``.
    public func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription {
        subscribers.subscribe(handler)
    }
}

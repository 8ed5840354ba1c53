public import Foundation

/// A store whose tables are in a file, or in memory, kept by SQLite.
///
/// ```swift
/// let store = try SQLiteStore(.file("/var/lib/app/jacks.sqlite"))
/// try store.execute("CREATE TABLE IF NOT EXISTS jack (id INTEGER PRIMARY KEY, label TEXT)")
/// ```
///
/// A file has one writer and as many readers as read at a time; they see what was committed when their query began,
/// also while the writer is in a transaction (SQLite's write-ahead log). In memory there is one connection, which
/// readers wait for too, and so it is where SQLite cannot keep that log, as on some network drives; a call from within a
/// row's callback throws `misuse` there, and in a file's transaction.
///
/// `last_insert_rowid()` and `changes()` tell of the store's last write, whichever thread made it; ask within the
/// transaction that writes.
///
/// A store refuses what would reach behind it: `ATTACH`, temporary tables, and those pragmas that set something.
///
/// A file may be open in several stores and processes at once, by any path to it. While it is, nothing but SQLite may
/// open it, not even to read it: closing any other descriptor drops SQLite's locks.
public final class SQLiteStore: LocalStore {
    /// Where the tables are; the path is the whole one.
    public let location: Location
    /// The path of the damaged file that was found on opening and has this name now; nil when there was none.
    public let fileSetAside: String?

    private let writer: WriteTurn<SQLiteConnection>
    private let readers: ReaderPool?
    private let subscribers = StoreSubscribers()

    /// Opens a store.
    /// - Parameter key: what the file is encrypted with; default none. Needs an SQLCipher as the configuration's
    ///   library.
    /// - Throws: ``StoreError``: `libraryMissing`; `io`, `busy` or `full` when the file cannot be opened or made; `busy`
    ///   when this process has it open under another hard link or with another copy of the SQLite library;
    ///   `corrupt` when it is damaged or no database; `keyRequired`, `wrongKey` or `encryptionUnavailable`, in which
    ///   case no file was made or changed.
    public init(
        _ location: Location, key: StoreKey = .none, configuration: Configuration = Configuration()
    ) throws(StoreError) {
        let opening = try SQLiteOpening(location, key: key, configuration)
        var aside: String?
        do throws(StoreError) {
            (writer, readers) = try Self.open(opening)
        } catch {
            guard opening.isFile, error.code == .corrupt, configuration.damage == .setAside else { throw error }
            aside = try opening.quarantine()
            (writer, readers) = try Self.open(opening)
        }
        fileSetAside = aside
        self.location = opening.isFile ? .file(opening.path) : .memory
    }

    private static func open(
        _ opening: SQLiteOpening
    ) throws(StoreError) -> (writer: WriteTurn<SQLiteConnection>, readers: ReaderPool?) {
        let writer = try opening.connection(.writer)
        var opening = opening
        opening.identity = writer.openFile?.identity
        let readers = writer.keepsLog ? ReaderPool(opening) : nil
        return (WriteTurn(writer, patience: opening.configuration.busyTimeout), readers)
    }

    // MARK: Statements

    /// Runs one statement; see ``LocalStore/execute(_:_:)``.
    @discardableResult
    public func execute(_ sql: String, _ parameters: [StoreValue]) throws(StoreError) -> Int {
        try narrowed {
            try write { connection in
                let statement = try connection.statement(sql)
                try ProtectedTables.check(statement.effects.tables, in: self)
                return try connection.run(statement, parameters)
            }
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
        let isDone = try readConcurrently { connection in
            let statement = try connection.statement(sql)
            guard statement.isForReaders else { return false }
            try connection.run(statement, parameters, each: each)
            return true
        }
        if isDone == true { return }
        let tables: Set<SQLIdentifier>? = try writer.call { connection in
            let statement = try connection.statement(sql)
            try ProtectedTables.check(statement.effects.tables, in: self)
            try connection.run(statement, parameters, each: each)
            return statement.isReadOnly ? nil : connection.takeChanges()
        }
        if let tables { subscribers.publish(tables) }
    }

    /// Runs one statement and gives its rows as JSON; see ``LocalStore/queryJSON(_:_:)``.
    public func queryJSON(_ sql: String, _ parameters: [StoreValue]) throws(StoreError) -> Data {
        try JSONRowWriter.json { try query(sql, parameters, each: $0) }
    }

    /// Reads one state of the store; see ``LocalStore/read(_:)``.
    public func read<Result>(_ body: (borrowing StoreReader) throws -> Result) throws -> Result {
        try reading { try $0.readOneState(body) }
    }

    // MARK: Tables

    /// Makes a table; see ``LocalStore/create(_:)``.
    public func create(_ schema: TableSchema) throws(StoreError) {
        let sql = try schema.createStatement()
        try execute(sql, [])
    }

    /// What a table is made of; see ``LocalStore/schema(of:)``.
    public func schema(of table: SQLIdentifier) throws(StoreError) -> TableSchema? {
        try narrowed { try reading { try $0.schema(of: table) } }
    }

    /// The names of the tables; see ``LocalStore/tables(like:)``.
    public func tables(like pattern: String?) throws(StoreError) -> [String] {
        try narrowed { try reading { try $0.tables(like: pattern) } }
    }

    /// Puts a table in the place of another; see ``LocalStore/replace(_:with:)``.
    public func replace(_ table: SQLIdentifier, with replacement: SQLIdentifier) throws(StoreError) {
        try ProtectedTables.check([table, replacement], in: self)
        try narrowed { try write { try $0.replace(table, with: replacement) } }
    }

    /// Inserts or updates rows; see ``LocalStore/upsert(_:into:)``.
    @discardableResult
    public func upsert(_ batch: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int {
        try ProtectedTables.check([table], in: self)
        return try narrowed { try write { try $0.upsert(batch, into: table) } }
    }

    /// Deletes rows; see ``LocalStore/delete(_:from:)``.
    @discardableResult
    public func delete(_ keys: RowBatch, from table: SQLIdentifier) throws(StoreError) -> Int {
        try ProtectedTables.check([table], in: self)
        return try narrowed { try write { try $0.delete(keys, from: table) } }
    }

    // MARK: Transactions

    /// Runs a transaction; see ``LocalStore/transaction(_:)``.
    @discardableResult
    public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        let (result, tables) = try writer.hold {
            try writer.call { try $0.begin() }
            do {
                let result = try body()
                let tables = try writer.call { connection in
                    try connection.checkTransaction()
                    try connection.commit()
                    return connection.takeChanges()
                }
                return (result, tables)
            } catch {
                try? writer.call { $0.rollback() }
                throw error
            }
        }
        subscribers.publish(tables)
        return result
    }

    /// Hears of every commit; see ``LocalStore/subscribe(_:)``.
    public func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription {
        subscribers.subscribe(handler)
    }

    /// Closes the store; see ``LocalStore/close()``.
    public func close() throws(StoreError) {
        guard !writer.isMine, readers?.isMine != true else {
            throw StoreError(.misuse, "A store cannot be closed from within its own transaction or callback.")
        }
        try narrowed {
            // The readers first: one of them may have to write before it ends.
            guard let readers else { return try writer.close() }
            try readers.close(patience: writer.patience) { try writer.close() }
        }
    }

    /// Reads the whole file and sees whether it is sound.
    /// - Returns: what is wrong, in SQLite's words; empty when nothing is.
    /// - Throws: ``StoreError``.
    public func integrityProblems() throws(StoreError) -> [String] {
        try narrowed { try reading { try $0.problems() } }
    }

    // MARK: Whose turn it is

    /// Uses the writer's connection, and tells of what was committed.
    private func write<Result>(_ body: (inout SQLiteConnection) throws -> Result) throws -> Result {
        let (result, tables) = try writer.call { connection in
            let result = try body(&connection)
            return (result, connection.takeChanges())
        }
        subscribers.publish(tables)
        return result
    }

    /// Reads beside the writer.
    /// - Returns: nil when that cannot be: in memory, and for a thread that has to see its own transaction.
    private func readConcurrently<Result>(
        _ body: (inout SQLiteConnection) throws -> Result
    ) throws -> Result? {
        guard let readers, !writer.isMine else { return nil }
        return try readers.use(body)
    }

    private func reading<Result>(_ body: (inout SQLiteConnection) throws -> Result) throws -> Result {
        if let readers, !writer.isMine { return try readers.use(body) }
        return try writer.call(body)
    }
}

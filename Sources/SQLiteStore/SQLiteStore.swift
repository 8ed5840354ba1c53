import Foundation
@_exported public import StoreCore

/// ``/StoreCore/LocalStore`` on SQLite, in a file or in memory.
///
/// ```swift
/// let store = try SQLiteStore(.file("/var/lib/app/jacks.sqlite"))
/// try store.execute("CREATE TABLE IF NOT EXISTS jack (id INTEGER PRIMARY KEY, label TEXT)")
/// ```
///
/// A file has one writer and any number of concurrent readers, which see the state committed when their query began
/// (write-ahead logging). An in-memory store, and a file where SQLite cannot use WAL, as on some network drives, have
/// one connection, which readers wait for too. A call from within a row callback throws `misuse` there, and inside a
/// transaction.
///
/// `last_insert_rowid()` and `changes()` refer to the store's last write by any thread; query them inside the writing
/// transaction. A default or a `BEFORE` trigger that reads the first while `insert` inserts a record or a batch may get
/// a number that is no rowid; write such a table with ``execute(_:_:)``.
///
/// `ATTACH`, `VACUUM INTO`, temporary tables and most pragmas throw `unsupportedSQL`, since the store has several
/// connections.
///
/// Several stores and processes may open the same file, by any path to it. While it is open, access it only through
/// SQLite: closing any other file descriptor of it drops SQLite's locks.
public final class SQLiteStore: LocalStore {
    /// The location, with an absolute path.
    public let location: Location
    /// Path that a corrupt file was renamed to on opening; nil when the file was not corrupt.
    public let quarantinedFile: String?
    /// Write protection of its tables; see ``/StoreCore/LocalStore/protectedTables``.
    public let protectedTables = ProtectedTables()
    /// Its threads for async calls; see ``/StoreCore/LocalStore/threads``.
    public let threads: StoreThreads

    let factory: SQLiteConnectionFactory
    let writer: WriterLock<SQLiteConnection>
    let readers: ReaderPool?
    let subscribers = StoreSubscribers()

    /// Opens a store.
    /// - Parameter key: the encryption key; default none. It requires SQLCipher as the configuration's library.
    /// - Throws: `StoreError`: `libraryMissing`; `io`, `busy` or `full` when the file cannot be opened or created;
    ///   `busy` when this process has it open under another hard link or with another copy of the SQLite library;
    ///   `corrupt` when it is damaged or not a database; `keyRequired`, `wrongKey` or `encryptionUnavailable`, in which
    ///   case no file was created or changed.
    public init(
        _ location: Location, key: EncryptionKey = .unencrypted, configuration: Configuration = Configuration()
    ) throws(StoreError) {
        var factory = try SQLiteConnectionFactory(location, key: key, configuration)
        var quarantinedFile: String?
        do throws(StoreError) {
            (writer, readers) = try Self.open(&factory)
        } catch {
            guard factory.isFile, error.code == .corrupt, configuration.corruptionPolicy == .quarantine,
                !factory.isReadOnly
            else { throw error }
            quarantinedFile = try factory.quarantine()
            (writer, readers) = try Self.open(&factory)
        }
        self.factory = factory
        threads = StoreThreads(busyTimeout: configuration.busyTimeout)
        self.quarantinedFile = quarantinedFile
        self.location = factory.isFile ? .file(factory.path) : .memory
        // Not the store itself: it is closed at once when the app releases it.
        factory.checkpointer?.onGrowth { [factory, threads] in
            // Not on the thread of the commit, and not cancelled with its task.
            Task.detached(executorPreference: threads.readers) { factory.copyLog() }
        }
    }

    deinit { factory.stopCopies {} }

    /// - Parameter factory: receives the identity of the opened file.
    private static func open(
        _ factory: inout SQLiteConnectionFactory
    ) throws(StoreError) -> (writer: WriterLock<SQLiteConnection>, readers: ReaderPool?) {
        let writer = try factory.makeConnection(.writer)
        factory.identity = writer.openFile?.identity
        let readers = writer.usesWAL || factory.isReadOnly ? ReaderPool(factory) : nil
        return (WriterLock(writer, busyTimeout: factory.configuration.busyTimeout), readers)
    }

    // MARK: Statements

    /// Runs one statement; see ``/StoreCore/LocalStore/execute(_:_:)``.
    @discardableResult
    public func execute(_ sql: String, _ parameters: [StoreValue]) throws(StoreError) -> Int {
        try rethrowingStoreErrors {
            try write { connection in
                let statement = try connection.statement(sql)
                try protectedTables.check(statement.effects.tables)
                return try connection.run(statement, parameters)
            }
        }
    }

    /// Runs one statement and passes each row to a callback; see `LocalStore.query(_:_:each:)`.
    @inlinable
    public func query(
        _ sql: String, _ parameters: [StoreValue], each: (borrowing StoreRow) throws -> Bool
    ) throws {
        // Inlined so that the compiler can avoid allocating the caller's parameter array.
        try parameters.withUnsafeBufferPointer { try run(sql, $0, each: each) }
    }

    @usableFromInline
    func run(
        _ sql: String, _ parameters: UnsafeBufferPointer<StoreValue>, each: (borrowing StoreRow) throws -> Bool
    ) throws {
        let isDone = try readConcurrently { connection in
            let statement = try connection.statement(sql)
            guard statement.canRunOnReader else { return false }
            try connection.run(statement, parameters, each: each)
            return true
        }
        if isDone == true { return }
        defer { deliverTraces() }
        let publication: StoreSubscribers.Publication? = try writer.use { connection in
            let statement = try connection.statement(sql)
            // A read writes no table: the task-local lookup of the protection is saved.
            if !statement.isReadOnly { try protectedTables.check(statement.effects.tables) }
            try connection.run(statement, parameters, each: each)
            return statement.isReadOnly ? nil : subscribers.publication(of: connection.takeChanges())
        }
        publication?.deliver()
    }

    /// Runs several queries on one snapshot; see `LocalStore.read(_:)`.
    public func read<Result>(_ body: (borrowing StoreReader) throws -> Result) throws -> Result {
        try reading { try $0.readSnapshot(body) }
    }

    // MARK: Tables

    /// Returns the schema of a table; see ``/StoreCore/LocalStore/schema(of:)``.
    public func schema(of table: SQLIdentifier) throws(StoreError) -> TableSchema? {
        try rethrowingStoreErrors { try reading { try $0.schema(of: table) } }
    }

    /// Drops a table and renames another one to its name; see ``/StoreCore/LocalStore/swapTable(_:for:)``.
    public func swapTable(_ table: SQLIdentifier, for replacement: SQLIdentifier) throws(StoreError) {
        try protectedTables.check([table, replacement])
        try rethrowingStoreErrors { try write { try $0.swapTable(table, for: replacement) } }
    }

    /// Inserts rows; see ``/StoreCore/LocalStore/insert(_:into:)``.
    @discardableResult
    public func insert(_ batch: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int {
        _ = try rethrowingStoreErrors { try write { try $0.insert(batch, into: table, protectedTables) } }
        return batch.rowCount
    }

    /// Inserts one row; see ``/StoreCore/LocalStore/insertRow(_:into:)``.
    @discardableResult
    public func insertRow(_ row: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int64 {
        try row.checkSingleRow()
        return try rethrowingStoreErrors { try write { try $0.insert(row, into: table, protectedTables) } }
    }

    /// Inserts or updates rows; see ``/StoreCore/LocalStore/upsert(_:into:)``.
    @discardableResult
    public func upsert(_ batch: RowBatch, into table: SQLIdentifier) throws(StoreError) -> Int {
        try rethrowingStoreErrors { try write { try $0.upsert(batch, into: table, protectedTables) } }
    }

    /// Deletes rows; see ``/StoreCore/LocalStore/delete(_:from:)``.
    @discardableResult
    public func delete(_ keys: RowBatch, from table: SQLIdentifier) throws(StoreError) -> Int {
        try rethrowingStoreErrors { try write { try $0.delete(keys, from: table, protectedTables) } }
    }

    // MARK: Transactions

    /// Runs a transaction; see `LocalStore.transaction(_:)`.
    @discardableResult
    public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try transact(checkingForeignKeysAtEnd: false, body)
    }

    /// Runs a transaction that may rebuild tables; see ``/StoreCore/LocalStore/schemaTransaction(_:)``.
    @discardableResult
    public func schemaTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        // SQLite cannot turn their enforcement off within a transaction.
        let isOutermost = !writer.isHeldByCurrentThread
        return try transact(checkingForeignKeysAtEnd: factory.configuration.enforcesForeignKeys && isOutermost, body)
    }

    private func transact<Result>(
        checkingForeignKeysAtEnd checksAtEnd: Bool, _ body: () throws -> Result
    ) throws -> Result {
        defer { deliverTraces() }
        let (result, publication) = try writer.hold {
            // First, since the pragma takes effect even when its run fails. Fails only without memory.
            defer { if checksAtEnd { try? writer.use { try $0.enforceForeignKeys(true) } } }
            if checksAtEnd { try writer.use { try $0.enforceForeignKeys(false) } }
            try writer.use { try $0.begin() }
            do {
                let result = try body()
                let publication = try writer.use { connection in
                    try connection.checkTransaction()
                    if checksAtEnd { try connection.checkForeignKeys() }
                    try connection.commit()
                    return subscribers.publication(of: connection.takeChanges())
                }
                return (result, publication)
            } catch {
                try? writer.use { $0.rollback() }
                throw error
            }
        }
        publication?.deliver()
        return result
    }

    /// Subscribes to changes; see ``/StoreCore/LocalStore/subscribe(_:)``.
    public func subscribe(_ handler: @escaping @Sendable (StoreChange) -> Void) -> StoreSubscription {
        subscribers.subscribe(handler)
    }

    /// Closes the store; see ``/StoreCore/LocalStore/close()``.
    ///
    /// Reads that begin meanwhile wait for the outcome, up to `busyTimeout`.
    public func close() throws(StoreError) {
        guard !writer.isHeldByCurrentThread, readers?.isReadingOnCurrentThread != true else {
            throw StoreError(.misuse, "Store closed from within its own transaction or callback; close it afterwards.")
        }
        try rethrowingStoreErrors {
            // The readers first: an active read may still have to write.
            guard let readers else { return try factory.interrupts.closing { try writer.close() } }
            try factory.stopCopies { try readers.close(timeout: writer.busyTimeout) { try writer.close() } }
        }
        subscribers.finish()
    }

    /// Ends the statements that run now; see ``/StoreCore/LocalStore/interrupt()``.
    public func interrupt() {
        factory.interrupts.interrupt()
        writer.interruptWaits()
        readers?.interruptWaits()
        threads.interruptWaits()
    }

    /// Checks the whole file with SQLite's `integrity_check`.
    /// - Returns: SQLite's descriptions of the problems; empty when there are none.
    /// - Throws: `StoreError`.
    public func integrityProblems() throws(StoreError) -> [String] {
        try rethrowingStoreErrors { try reading { try $0.integrityProblems() } }
    }

    // MARK: Connections

    /// Runs `body` on the writer's connection and publishes the committed changes.
    func write<Result>(_ body: (inout SQLiteConnection) throws -> Result) throws -> Result {
        defer { deliverTraces() }
        let (result, publication) = try writer.use { connection in
            let result = try body(&connection)
            return (result, subscribers.publication(of: connection.takeChanges()))
        }
        publication?.deliver()
        return result
    }

    /// Passes the traces of this thread to the handler, without a lock.
    ///
    /// Inside a transaction or a callback of the writer it does nothing: the outermost call does so.
    func deliverTraces() {
        guard let tracer = factory.tracer, !writer.isHeldByCurrentThread else { return }
        tracer.deliver()
    }

    /// Reads on a reader connection, concurrently with the writer.
    /// - Returns: nil when that is impossible: without WAL, and for a thread inside its own transaction.
    private func readConcurrently<Result>(
        _ body: (inout SQLiteConnection) throws -> Result
    ) throws -> Result? {
        guard let readers, !writer.isHeldByCurrentThread else { return nil }
        defer { deliverTraces() }
        return try readers.use(body)
    }

    /// Reads on a reader connection where possible, else on the writer's.
    func reading<Result>(_ body: (inout SQLiteConnection) throws -> Result) throws -> Result {
        defer { deliverTraces() }
        if let readers, !writer.isHeldByCurrentThread { return try readers.use(body) }
        return try writer.use(body)
    }
}

import Foundation
import StoreCore
import SystemLibraries

/// SQLite connection with its statement cache and transaction stack.
///
/// Noncopyable, so one thread uses it at a time; closes the database in `deinit`.
struct SQLiteConnection: ~Copyable {
    let functions: SQLiteFunctions
    private let address: UInt
    let compiler: StatementCompiler
    let interrupter: StatementInterrupter
    /// Registration of the open file.
    var openFile: OpenDatabaseFile?
    /// Receives the traces of statements prepared from now on.
    var tracer: StatementTracer?
    var checkpointer: LogCheckpointer?
    /// True in write-ahead logging mode, in which readers and the writer do not block each other.
    var usesWAL = false
    private var cache: StatementCache
    var lastInsertion: Insertion?
    /// Statements that begin and end each transaction level, outermost first; kept outside the cache.
    private var levels: [TransactionLevel] = []
    /// Number of open transactions and savepoints.
    private(set) var depth = 0
    /// The tables changed since the last `takeChanges()`.
    private var changedTables: Set<SQLIdentifier> = []
    /// The value of `changedTables` at the begin of each open level.
    private var changedTablesAtBegin: [Set<SQLIdentifier>] = []
    /// True when the schema was changed in the current transaction.
    private var hasSchemaChange = false

    /// Opens a database without reading or writing it.
    /// - Parameters:
    ///   - path: a file, or `:memory:`.
    ///   - allowsDoubleQuotedText: false for a name in double quotes that names no column to be an error.
    ///   - interrupts: the connections that are interrupted together.
    init(
        path: String, flags: CInt, busyTimeout: Duration, statementCacheSize: Int, allowsDoubleQuotedText: Bool,
        _ interrupts: StoreInterrupts, _ functions: SQLiteFunctions
    ) throws(StoreError) {
        var database: OpaquePointer?
        let code = functions.open(path, &database, flags | SQLiteConstant.openNoMutex, nil)
        guard code == SQLiteConstant.ok, let database else {
            defer { _ = functions.close(database) }
            throw SQLiteFailure.opening(path, code, database, functions)
        }
        self.functions = functions
        address = UInt(bitPattern: database)
        cache = StatementCache(capacity: statementCacheSize)
        let authorizer = StatementAuthorizer()
        interrupter = StatementInterrupter(database, functions, busyTimeout: busyTimeout, interrupts)
        compiler = StatementCompiler(
            database, functions, authorizer, interrupter, allowsDoubleQuotedText: allowsDoubleQuotedText)
        _ = functions.setExtendedResultCodes(database, 1)
        for option in [SQLiteConstant.doubleQuotedText, SQLiteConstant.doubleQuotedTextInDefinitions] {
            functions.setOption(option, allowsDoubleQuotedText, of: database)
        }
        authorizer.install(on: database, functions)
        interrupter.install()
    }

    deinit {
        interrupter.uninstall()
        // `sqlite3_close_v2`: the database stays alive until its statements, released later, are finalized.
        _ = functions.close(database)
    }

    var database: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// The error of the call that has just failed.
    func failure(_ code: CInt) -> StoreError {
        if code & 0xFF == SQLiteConstant.busy, interrupter.wait.takeEnded() { return .interrupted }
        return SQLiteFailure(code, database, functions).error
    }

    // MARK: Statements

    /// Prepares a caller's statement, or returns the cached one.
    /// - Throws: `StoreError`, also for statements that callers may not run.
    mutating func statement(_ text: String) throws(StoreError) -> SQLiteStatement {
        let statement = try compiled(text)
        if statement.isRefused, let refusal = statement.refusal { throw refusal }
        return statement
    }

    /// Prepares an internal statement, or returns the cached one.
    mutating func compiled(_ text: String) throws(StoreError) -> SQLiteStatement {
        if let known = cache.mostRecent(text) { return known }
        let sql = SQLText(text)
        if let known = cache.find(sql) { return known }
        let statement = try compile(sql, isInternal: false)
        cache.insert(statement)
        return statement
    }

    /// Runs an internal statement without caching it.
    mutating func runOnce(_ text: String, each: (borrowing StoreRow) throws -> Bool) throws {
        try run(compile(SQLText(text)), each: each)
    }

    /// Prepares a statement without caching it.
    /// - Parameter isInternal: true for the store's own statements, which may do what callers' may not; default true.
    func compile(_ sql: SQLText, isInternal: Bool = true) throws(StoreError) -> SQLiteStatement {
        guard !sql.text.utf8.contains(0) else {
            throw StoreError(.syntax, "Statement contains NUL; pass such text as a parameter.")
        }
        guard sql.text.utf8.count < Int(CInt.max) else {
            throw StoreError(.tooLarge, "Statement exceeds 2 GiB; pass large values as parameters.")
        }
        let (pointer, effects) = try compiler.compile(sql, isInternal: isInternal)
        let trace = tracer.map { TracedStatement(sql.text, $0, names: SchemaNames(database, functions)) }
        return SQLiteStatement(sql, pointer, compiler, effects, trace)
    }

    // MARK: Running

    /// Runs a statement of this connection and passes each row to a callback. Atomic: all of its writes or none.
    /// - Parameter each: reads a row; false ends the run.
    /// - Returns: the number of rows that the statement itself changed.
    @discardableResult
    mutating func run(
        _ statement: SQLiteStatement, _ parameters: [StoreValue] = [],
        each: (borrowing StoreRow) throws -> Bool = { _ in true }
    ) throws -> Int {
        try parameters.withUnsafeBufferPointer { try run(statement, $0, each: each) }
    }

    /// Same as the overload above, with borrowed values.
    @discardableResult
    mutating func run(
        _ statement: SQLiteStatement, _ parameters: UnsafeBufferPointer<StoreValue>,
        each: (borrowing StoreRow) throws -> Bool
    ) throws -> Int {
        try checkTransaction()
        if statement.isReadOnly {
            try step(statement, parameters, each)
            return 0
        }
        // A writing statement with rows is incomplete when its callback throws, so it also needs a savepoint.
        guard statement.effects.mayApplyPartially || !statement.columnNames.isEmpty && !statement.effects.tables.isEmpty
        else { return try change(statement, parameters, each) }
        return try atomically { try $0.change(statement, parameters, each) }
    }

    private mutating func change(
        _ statement: SQLiteStatement, _ parameters: UnsafeBufferPointer<StoreValue>,
        _ each: (borrowing StoreRow) throws -> Bool
    ) throws -> Int {
        let namesBefore = statement.effects.renamesTables ? try tableIdentifiers() : []
        let schemaBefore = statement.effects.definesTables ? try schemaVersion() : nil
        let before = functions.totalChanges(database)
        let effects = try (step(statement, parameters, each) ?? statement).effects
        // The statement is done: an interrupt must not fail what follows.
        interrupter.shield()
        defer { interrupter.unshield() }
        let isChanged = functions.totalChanges(database) != before
        let rows = isChanged ? Int(functions.changes(database)) : 0
        // A statement with IF [NOT] EXISTS may have changed nothing.
        let definesTables = try effects.definesTables && (schemaBefore == nil || schemaBefore != schemaVersion())
        if isChanged || definesTables { changedTables.formUnion(effects.tables) }
        if effects.renamesTables {
            changedTables.formUnion(Set(try tableIdentifiers()).symmetricDifference(namesBefore))
        }
        if effects.changesSchema { discardStatements() }
        return rows
    }

    /// - Returns: the recompiled statement, if SQLite recompiled it for a new schema.
    @discardableResult
    private mutating func step(
        _ statement: SQLiteStatement, _ parameters: UnsafeBufferPointer<StoreValue>,
        _ each: (borrowing StoreRow) throws -> Bool
    ) throws -> SQLiteStatement? {
        var current: SQLiteStatement?
        defer { if let current { replace(statement, with: current) } }
        try statement.run(parameters, current: &current, each: each)
        return current
    }

    /// Replaces a cached statement by its recompiled form.
    mutating func replace(_ statement: SQLiteStatement, with current: SQLiteStatement) {
        cache.replace(statement, with: current)
    }

    /// Fixes the snapshot of a read transaction, which SQLite does at its first read.
    mutating func takeSnapshot() throws {
        let first = try compiled("SELECT 1 FROM sqlite_master LIMIT 1")
        try run(first)
        // Another connection changed the schema: queries must be prepared for the new one.
        if first.wasRecompiled { cache.removeAll() }
    }

    /// True while a transaction is open.
    var isInTransaction: Bool { functions.isAutocommit(database) == 0 }

    /// Empties the cache after a schema change, since new triggers change a statement's effects.
    mutating func discardStatements() {
        cache.removeAll()
        hasSchemaChange = depth > 0
    }

    // MARK: Transactions

    /// Throws if SQLite rolled the transaction back by itself, since later statements would autocommit; or if it is an
    /// async one, and its task is cancelled.
    func checkTransaction() throws(StoreError) {
        guard depth > 0 else { return }
        try StoreThreads.checkCancellation()
        if functions.isAutocommit(database) != 0 {
            throw StoreError(.failed, "Transaction was rolled back by an earlier error; start a new transaction.")
        }
    }

    /// Begins a transaction, or a savepoint inside the open one.
    /// - Parameter readOnly: true for a deferred transaction, which does not wait for the write lock; default false.
    mutating func begin(readOnly: Bool = false) throws(StoreError) {
        try checkTransaction()
        let level = try level(depth)
        let wasInterrupted: Bool
        do {
            // Interruptible, since it may wait for another connection.
            let isOutermost = interrupter.begin(isReadOnly: readOnly)
            defer { if isOutermost { interrupter.end() } }
            try control(readOnly ? level.beginReadOnly : level.begin)
            changedTablesAtBegin.append(changedTables)
            if depth == 0 { interrupter.setInTransaction(!readOnly) }
            depth += 1
            wasInterrupted = isOutermost && interrupter.isInterrupted
        }
        // The lock came after the interrupt: the call that waited for it has to end. Only now, since an interrupt that
        // still runs could end the rollback too.
        guard !wasInterrupted else {
            rollback()
            throw .interrupted
        }
    }

    /// Commits the innermost transaction or savepoint.
    /// - Throws: `StoreError`; the transaction is still open then and must be rolled back.
    mutating func commit() throws(StoreError) {
        try checkTransaction()
        let end = try level(depth - 1).commit
        do throws(StoreError) { try control(end) } catch { throw namingTables(in: error) }
        depth -= 1
        changedTablesAtBegin.removeLast()
        if depth == 0 {
            hasSchemaChange = false
            interrupter.setInTransaction(false)
        }
    }

    /// Rolls back the innermost transaction or savepoint.
    mutating func rollback() {
        depth -= 1
        if depth == 0 { interrupter.setInTransaction(false) }
        changedTables = changedTablesAtBegin.popLast() ?? []
        if hasSchemaChange { discardStatements() }
        // Skipped when an error has already rolled it back.
        guard functions.isAutocommit(database) == 0, depth < levels.count else { return }
        for statement in levels[depth].rollback { try? control(statement) }
    }

    private mutating func level(_ depth: Int) throws(StoreError) -> TransactionLevel {
        while levels.count <= depth { levels.append(try TransactionLevel(depth: levels.count, on: self)) }
        return levels[depth]
    }

    /// Runs an internal statement in any transaction state.
    func control(_ statement: SQLiteStatement) throws(StoreError) {
        let code = statement.traced { _ in functions.step(statement.pointer) }
        defer { _ = functions.reset(statement.pointer) }
        guard code == SQLiteConstant.done else { throw failure(code) }
    }

    /// Runs `body` in a transaction or savepoint.
    mutating func atomically<Result>(
        readOnly: Bool = false, _ body: (inout SQLiteConnection) throws -> Result
    ) throws -> Result {
        try begin(readOnly: readOnly)
        do {
            let result = try body(&self)
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    /// Adds tables to the recorded changes.
    mutating func recordChange(of tables: Set<SQLIdentifier>) { changedTables.formUnion(tables) }

    /// Returns and clears the recorded changes; empty inside a transaction.
    mutating func takeChanges() -> Set<SQLIdentifier> {
        guard depth == 0, !changedTables.isEmpty else { return [] }
        defer { changedTables = [] }
        return changedTables
    }
}

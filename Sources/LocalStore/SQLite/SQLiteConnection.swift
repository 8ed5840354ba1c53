import Foundation
import SystemLibraries

/// One connection to a database, with the statements that it has compiled and the transactions that it is in.
///
/// It cannot be copied, so one thread at a time uses it; it closes the database when it goes away.
struct SQLiteConnection: ~Copyable {
    let functions: SQLiteFunctions
    private let address: UInt
    private let compiler: StatementCompiler
    /// Keeps the file entered as open.
    var openFile: OpenDatabaseFile?
    /// True when the file has a log that is written ahead, so that others can read while one writes.
    var keepsLog = false
    private var cache: StatementCache
    /// What begins and ends transactions, the outermost first; kept whatever else is compiled.
    private var levels: [TransactionLevel] = []
    /// How many transactions are open, one in the other.
    private(set) var depth = 0
    /// The tables changed since the transaction began.
    private var touched: Set<SQLIdentifier> = []
    /// What was in `touched` when each open transaction began.
    private var touchedBefore: [Set<SQLIdentifier>] = []
    /// True when the schema was changed in the transaction.
    private var hasNewSchema = false

    /// Opens a database. Nothing is read or written yet.
    /// - Parameter path: a file, or `:memory:`.
    init(
        path: String, flags: CInt, busyTimeout: Duration, statementCapacity: Int, _ functions: SQLiteFunctions
    ) throws(StoreError) {
        var database: OpaquePointer?
        let code = functions.open(path, &database, flags | SQLiteConstant.openNoMutex, nil)
        guard code == SQLiteConstant.ok, let database else {
            _ = functions.close(database)
            throw SQLiteFailure.opening(path, code, functions)
        }
        self.functions = functions
        address = UInt(bitPattern: database)
        cache = StatementCache(capacity: statementCapacity)
        let audit = StatementAudit()
        compiler = StatementCompiler(database, functions, audit)
        _ = functions.setExtendedResultCodes(database, 1)
        let (seconds, attoseconds) = busyTimeout.components
        let milliseconds = Double(seconds) * 1e3 + Double(attoseconds) / 1e15
        _ = functions.setBusyTimeout(database, CInt(min(max(milliseconds, 0), 1e9)))
        audit.listen(to: database, functions)
    }

    // The statements, which go after this, keep the database alive until then: `sqlite3_close_v2`.
    deinit { _ = functions.close(database) }

    var database: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// The failure that a call has just ended with.
    func failure(_ code: CInt) -> StoreError { SQLiteFailure(code, database, functions).error }

    // MARK: Statements

    /// Compiles a caller's statement, or finds it compiled.
    /// - Throws: `StoreError`, also for what a caller's statement may not do.
    mutating func statement(_ text: String) throws(StoreError) -> SQLiteStatement {
        let statement = try compiled(text)
        if let refusal = statement.refusal { throw refusal }
        return statement
    }

    /// Compiles a statement of the store's own, or finds it compiled.
    mutating func compiled(_ text: String) throws(StoreError) -> SQLiteStatement {
        if let known = cache.again(text) { return known }
        let sql = SQLText(text)
        if let known = cache.find(sql) { return known }
        let statement = try compile(sql, isOwn: false)
        cache.keep(statement)
        return statement
    }

    /// Runs a statement that is not kept.
    mutating func runOnce(_ text: String, each: (borrowing StoreRow) throws -> Bool) throws {
        try run(compile(SQLText(text)), each: each)
    }

    /// Compiles a statement that is not kept.
    /// - Parameter isOwn: true for one of the store's own, which may do what a caller's may not; the default.
    func compile(_ sql: SQLText, isOwn: Bool = true) throws(StoreError) -> SQLiteStatement {
        guard !sql.text.utf8.contains(0) else { throw StoreError(.syntax, "The statement holds NUL.") }
        guard sql.text.utf8.count < Int(CInt.max) else { throw StoreError(.tooLarge, "The statement is too long.") }
        let (pointer, effects) = try compiler.compile(sql, isOwn: isOwn)
        return SQLiteStatement(sql, pointer, compiler, effects)
    }

    // MARK: Running

    /// Runs a statement, which was compiled here, and hands over its rows. All that it writes or nothing.
    /// - Parameter each: reads a row; false ends the run.
    /// - Returns: how many rows were changed by the statement itself.
    @discardableResult
    mutating func run(
        _ statement: SQLiteStatement, _ parameters: [StoreValue] = [],
        each: (borrowing StoreRow) throws -> Bool = { _ in true }
    ) throws -> Int {
        try parameters.withUnsafeBufferPointer { try run(statement, $0, each: each) }
    }

    /// As the other one, with the values where they lie.
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
        // A callback that fails makes a part of any statement that has rows.
        guard statement.effects.mayEndInPart || !statement.columnNames.isEmpty && !statement.effects.tables.isEmpty
        else { return try change(statement, parameters, each) }
        return try atomically { try $0.change(statement, parameters, each) }
    }

    private mutating func change(
        _ statement: SQLiteStatement, _ parameters: UnsafeBufferPointer<StoreValue>,
        _ each: (borrowing StoreRow) throws -> Bool
    ) throws -> Int {
        let namesBefore = statement.effects.renamesTables ? try tableNames() : []
        let schemaBefore = statement.effects.definesTables ? try schemaVersion() : nil
        let before = functions.totalChanges(database)
        let effects = try (step(statement, parameters, each) ?? statement).effects
        let isChanged = functions.totalChanges(database) != before
        let rows = isChanged ? Int(functions.changes(database)) : 0
        // With IF [NOT] EXISTS nothing may have been done.
        let definesTables = try effects.definesTables && (schemaBefore == nil || schemaBefore != schemaVersion())
        if isChanged || definesTables { touched.formUnion(effects.tables) }
        if effects.renamesTables { touched.formUnion(Set(try tableNames()).symmetricDifference(namesBefore)) }
        if effects.changesSchema { forgetSchema() }
        return rows
    }

    /// - Returns: what the statement is now, when SQLite has compiled it anew.
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

    /// Keeps what a statement is now in the place of what it was.
    mutating func replace(_ statement: SQLiteStatement, with current: SQLiteStatement) {
        cache.replace(statement, with: current)
    }

    /// Has SQLite choose the state that a transaction reads, which it does at its first read.
    mutating func chooseState() throws {
        let first = try compiled("SELECT 1 FROM sqlite_master LIMIT 1")
        try run(first)
        // Another connection has changed the schema; a query that is prepared now should be of the new one.
        if first.isOutdated { cache.removeAll() }
    }

    /// True while a transaction is open.
    var isInTransaction: Bool { functions.isAutocommit(database) == 0 }

    /// Has every statement compiled anew: with other triggers it has other effects.
    private mutating func forgetSchema() {
        cache.removeAll()
        hasNewSchema = depth > 0
    }

    // MARK: Transactions

    /// An error may have made SQLite roll back: what comes then must not be committed by itself.
    func checkTransaction() throws(StoreError) {
        if depth > 0, functions.isAutocommit(database) != 0 {
            throw StoreError(.failed, "An earlier error has rolled this transaction back; end it and begin another.")
        }
    }

    /// Begins a transaction, or a part of the one that is open.
    /// - Parameter onlyReads: true for one that waits for nobody who writes; default false.
    mutating func begin(onlyReads: Bool = false) throws(StoreError) {
        try checkTransaction()
        let level = try level(depth)
        try control(onlyReads ? level.beginReading : level.begin)
        touchedBefore.append(touched)
        depth += 1
    }

    /// Commits the transaction that was begun last.
    /// - Throws: `StoreError`; the transaction is still open then, and to be rolled back.
    mutating func commit() throws(StoreError) {
        try checkTransaction()
        try control(level(depth - 1).commit)
        depth -= 1
        touchedBefore.removeLast()
        if depth == 0 { hasNewSchema = false }
    }

    /// Rolls back the transaction that was begun last.
    mutating func rollback() {
        depth -= 1
        touched = touchedBefore.popLast() ?? []
        if hasNewSchema { forgetSchema() }
        // Done already, when an error has rolled it back.
        guard functions.isAutocommit(database) == 0, depth < levels.count else { return }
        for statement in levels[depth].rollback { try? control(statement) }
    }

    private mutating func level(_ depth: Int) throws(StoreError) -> TransactionLevel {
        while levels.count <= depth { levels.append(try TransactionLevel(depth: levels.count, on: self)) }
        return levels[depth]
    }

    /// Runs a statement of the store's own in whatever state the transaction is.
    func control(_ statement: SQLiteStatement) throws(StoreError) {
        let code = functions.step(statement.pointer)
        defer { _ = functions.reset(statement.pointer) }
        guard code == SQLiteConstant.done else { throw failure(code) }
    }

    /// Makes all of `body` or nothing of it.
    mutating func atomically<Result>(
        onlyReads: Bool = false, _ body: (inout SQLiteConnection) throws -> Result
    ) throws -> Result {
        try begin(onlyReads: onlyReads)
        do {
            let result = try body(&self)
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    /// Notes a change that no statement tells of.
    mutating func touch(_ tables: Set<SQLIdentifier>) { touched.formUnion(tables) }

    /// The tables whose change was committed since this was asked last.
    mutating func takeChanges() -> Set<SQLIdentifier> {
        guard depth == 0, !touched.isEmpty else { return [] }
        defer { touched = [] }
        return touched
    }
}

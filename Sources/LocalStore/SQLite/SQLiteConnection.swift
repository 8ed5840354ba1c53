import Foundation
import SystemLibraries

/// One connection to a database, with the statements that it has compiled and the transactions that it is in.
///
/// It cannot be copied, so one thread at a time uses it; it closes the database when it goes away.
struct SQLiteConnection: ~Copyable {
    let functions: SQLiteFunctions
    private let address: UInt
    private let audit = StatementAudit()
    private var cache: StatementCache
    /// How many transactions are open, one in the other.
    private(set) var depth = 0
    /// The tables changed since the transaction began.
    private var touched: Set<SQLIdentifier> = []
    /// What was in `touched` when each open transaction began.
    private var touchedBefore: [Set<SQLIdentifier>] = []

    /// Opens a database. Nothing is read or written yet.
    /// - Parameter path: a file, or `:memory:`.
    init(
        path: String, flags: CInt, busyTimeout: Duration, statementCapacity: Int, _ functions: SQLiteFunctions
    ) throws(StoreError) {
        var database: OpaquePointer?
        let code = functions.open(path, &database, flags | SQLiteConstant.openNoMutex, nil)
        guard code == SQLiteConstant.ok, let database else {
            _ = functions.close(database)
            throw StoreError.sqlite(code, "SQLite cannot open the file; see that its folder is there and may be used.")
        }
        self.functions = functions
        address = UInt(bitPattern: database)
        cache = StatementCache(capacity: statementCapacity, functions)
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
    func failure(_ code: CInt, isCompiling: Bool = false) -> StoreError {
        .sqlite(code, database, functions, isCompiling: isCompiling)
    }

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
        let statement = try compile(sql)
        cache.keep(statement)
        return statement
    }

    /// Runs a statement that is not kept.
    mutating func runOnce(_ text: String, each: (borrowing StoreRow) throws -> Bool) throws {
        let statement = try compile(SQLText(text))
        defer { _ = functions.finalize(statement.pointer) }
        try run(statement, each: each)
    }

    private func compile(_ sql: SQLText) throws(StoreError) -> SQLiteStatement {
        guard !sql.text.utf8.contains(0) else { throw StoreError(.syntax, "The statement holds NUL.") }
        guard sql.text.utf8.count < Int(CInt.max) else { throw StoreError(.tooLarge, "The statement is too long.") }
        _ = audit.take()
        // With its NUL, so that SQLite need not copy it.
        let pointer = try sql.text.withCString { start in
            Result { () throws(StoreError) in try compile(start, sql.text.utf8.count) }
        }.get()
        guard let pointer else { throw StoreError(.syntax, "The text holds no statement.") }
        return SQLiteStatement(sql, pointer, functions, effects: audit.take())
    }

    /// Compiles the only statement of a text.
    /// - Returns: nil when there is none.
    private func compile(_ start: UnsafePointer<CChar>, _ count: Int) throws(StoreError) -> OpaquePointer? {
        var pointer: OpaquePointer?
        var rest = start
        var isFirst = true
        repeat {
            var next: OpaquePointer?
            var tail: UnsafePointer<CChar>?
            let left = count - (rest - start)
            let code = functions.prepare(
                database, rest, CInt(left + 1), SQLiteConstant.preparePersistent, &next, &tail)
            guard code == SQLiteConstant.ok, isFirst || next == nil else {
                let failure = isFirst ? failure(code, isCompiling: true) : Self.severalStatements(at: rest - start)
                _ = functions.finalize(next)
                _ = functions.finalize(pointer)
                throw failure
            }
            if isFirst { pointer = next }
            // What follows may be white space or a comment.
            isFirst = pointer == nil && next == nil
            guard let tail, tail > rest else { break }
            rest = tail
        } while rest - start < count
        return pointer
    }

    private static func severalStatements(at offset: Int) -> StoreError {
        StoreError(.syntax, "The text holds more than one statement; run them one by one.", offset: offset)
    }

    // MARK: Running

    /// Runs a statement, which was compiled here, and hands over its rows.
    /// - Parameter each: reads a row; false ends the run.
    /// - Returns: how many rows were changed by the statement itself.
    @discardableResult
    mutating func run(
        _ statement: SQLiteStatement, _ parameters: [StoreValue] = [],
        each: (borrowing StoreRow) throws -> Bool = { _ in true }
    ) throws -> Int {
        try checkTransaction()
        if statement.isReadOnly {
            try step(statement, parameters, each)
            return 0
        }
        let namesBefore = statement.effects.renamesTables ? try tableNames() : []
        let before = functions.totalChanges(database)
        try step(statement, parameters, each)
        let isChanged = functions.totalChanges(database) != before
        let current = refreshed(statement)
        if isChanged || current.effects.definesTables { touched.formUnion(current.effects.tables) }
        if current.effects.renamesTables { touched.formUnion(Set(try tableNames()).symmetricDifference(namesBefore)) }
        return isChanged ? Int(functions.changes(database)) : 0
    }

    private mutating func step(
        _ statement: SQLiteStatement, _ parameters: [StoreValue], _ each: (borrowing StoreRow) throws -> Bool
    ) throws {
        let pointer = statement.pointer
        do {
            try set(parameters, of: statement)
            let step = functions.step
            var code = step(pointer)
            if code == SQLiteConstant.row {
                let row = StoreRow(columnNames: columnNames(statement), SQLiteRow(pointer, functions))
                while code == SQLiteConstant.row, try each(row) { code = step(pointer) }
            }
            guard code == SQLiteConstant.done || code == SQLiteConstant.row else { throw failure(code) }
        } catch {
            release(statement)
            throw error
        }
        let code = release(statement)
        guard code == SQLiteConstant.ok else { throw failure(code) }
    }

    /// Ends a run, so that the statement holds no lock and no value any more.
    @discardableResult
    func release(_ statement: SQLiteStatement) -> CInt {
        let code = functions.reset(statement.pointer)
        if statement.parameterCount > 0 { _ = functions.clearBindings(statement.pointer) }
        return code
    }

    /// True when SQLite has compiled a statement anew, for another schema.
    @inline(__always)
    private func isOutdated(_ statement: SQLiteStatement) -> Bool {
        functions.status(statement.pointer, SQLiteConstant.statusReprepare, 0) != statement.recompilations
    }

    @inline(__always)
    private mutating func columnNames(_ statement: SQLiteStatement) -> [String] {
        isOutdated(statement) ? refreshed(statement).columnNames : statement.columnNames
    }

    /// What is known of a statement, read again when it is outdated.
    private mutating func refreshed(_ statement: SQLiteStatement) -> SQLiteStatement {
        guard isOutdated(statement), let pointer = statement.pointer else { return statement }
        var effects = statement.effects
        let heard = audit.take()
        effects.tables.formUnion(heard.tables)
        effects.definesTables = effects.definesTables || heard.definesTables
        let current = SQLiteStatement(statement.sql, pointer, functions, effects: effects)
        cache.replace(statement, with: current)
        return current
    }

    private mutating func tableNames() throws -> Set<SQLIdentifier> {
        var names: Set<SQLIdentifier> = []
        try run(compiled("SELECT name FROM sqlite_master WHERE type = 'table'")) { row in
            names.insert(SQLIdentifier(row.text(at: 0) ?? ""))
            return true
        }
        return names
    }

    // MARK: Transactions

    /// An error may have made SQLite roll back: what comes then must not be committed by itself.
    func checkTransaction() throws(StoreError) {
        if depth > 0, functions.isAutocommit(database) != 0 {
            throw StoreError(.failed, "An earlier error has rolled this transaction back; end it and begin another.")
        }
    }

    /// Begins a transaction, or a part of the one that is open.
    mutating func begin() throws {
        try run(compiled(depth == 0 ? "BEGIN IMMEDIATE" : "SAVEPOINT part_\(depth)"))
        touchedBefore.append(touched)
        depth += 1
    }

    /// Commits the transaction that was begun last.
    /// - Throws: `StoreError`; the transaction is still open then, and to be rolled back.
    mutating func commit() throws {
        try run(compiled(depth == 1 ? "COMMIT" : "RELEASE part_\(depth - 1)"))
        depth -= 1
        touchedBefore.removeLast()
    }

    /// Rolls back the transaction that was begun last.
    mutating func rollback() {
        depth -= 1
        touched = touchedBefore.popLast() ?? []
        // Done already, when an error has rolled it back.
        guard functions.isAutocommit(database) == 0 else { return }
        let texts = depth == 0 ? ["ROLLBACK"] : ["ROLLBACK TO part_\(depth)", "RELEASE part_\(depth)"]
        for text in texts {
            guard let statement = try? compiled(text) else { continue }
            _ = functions.step(statement.pointer)
            release(statement)
        }
    }

    /// Makes all of `body` or nothing of it.
    mutating func atomically<Result>(_ body: (inout SQLiteConnection) throws -> Result) throws -> Result {
        try begin()
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
        guard depth == 0 else { return [] }
        defer { touched = [] }
        return touched
    }
}

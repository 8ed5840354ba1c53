import Foundation
import StoreCore
import SystemLibraries

/// Prepared statement with its metadata; finalized with the last reference, so eviction from the cache is safe.
///
/// Use it only together with the connection that compiled it: connections are noncopyable, which limits their
/// statements to one thread at a time.
final class SQLiteStatement: Sendable {
    /// Owner of the `sqlite3_stmt`, finalized in `deinit`. Stores an address, since pointers are not `Sendable`.
    private final class Handle: Sendable {
        let address: UInt
        private let finalize: SQLiteFunctions.HandleFunction

        init(_ pointer: OpaquePointer, _ functions: SQLiteFunctions) {
            address = UInt(bitPattern: pointer)
            finalize = functions.finalize
        }

        deinit { _ = finalize(OpaquePointer(bitPattern: address)) }
    }

    let sql: SQLText
    let isReadOnly: Bool
    /// True when it is read-only and does not depend on a connection's last write.
    let canRunOnReader: Bool
    let parameterCount: Int
    let columnNames: [String]
    let effects: StatementEffects
    /// Error for callers that run it; nil when they may.
    let refusal: StoreError?
    /// True when ``refusal`` is not nil. Checked for each run, without copying the error.
    let isRefused: Bool
    /// SQLite's recompilation counter at the time the metadata was read.
    let recompilations: CInt
    let functions: SQLiteFunctions
    private let interrupter: StatementInterrupter
    private let compiler: StatementCompiler
    private let trace: TracedStatement?
    private let handle: Handle
    private let address: UInt

    var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// - Parameters:
    ///   - pointer: the compiled statement; the new object owns it.
    ///   - compiler: the compiler that produced it.
    ///   - trace: records its runs; default nil.
    convenience init(
        _ sql: SQLText, _ pointer: OpaquePointer, _ compiler: StatementCompiler, _ effects: StatementEffects,
        _ trace: TracedStatement? = nil
    ) {
        self.init(sql, Handle(pointer, compiler.functions), compiler, effects, trace)
    }

    private init(
        _ sql: SQLText, _ handle: Handle, _ compiler: StatementCompiler, _ effects: StatementEffects,
        _ trace: TracedStatement?
    ) {
        let pointer = OpaquePointer(bitPattern: handle.address)
        let functions = compiler.functions
        self.sql = sql
        self.effects = effects
        self.handle = handle
        self.functions = functions
        self.compiler = compiler
        self.trace = trace
        refusal = effects.refusal
        isRefused = refusal != nil
        interrupter = compiler.interrupter
        address = handle.address
        isReadOnly = functions.isReadOnly(pointer) != 0
        canRunOnReader = isReadOnly && !effects.readsWriteCounters
        parameterCount = Int(functions.parameterCount(pointer))
        recompilations = functions.status(pointer, SQLiteConstant.statusReprepare, 0)
        columnNames = (0..<functions.columnCount(pointer)).map { index in
            functions.columnName(pointer, index).map { String(cString: $0) } ?? ""
        }
    }

    /// True when SQLite has recompiled it for a changed schema, which happens only in the first step of a run.
    var wasRecompiled: Bool { functions.status(pointer, SQLiteConstant.statusReprepare, 0) != recompilations }

    /// The same statement with the metadata after recompilation.
    func recompiled() -> SQLiteStatement {
        SQLiteStatement(sql, handle, compiler, isReadOnly ? effects : compiler.effects(of: sql) ?? effects, trace)
    }

    /// The error of the call that has just failed.
    func failure(_ code: CInt) -> StoreError {
        compiler.failure(code, running: sql, isReadOnly: isReadOnly, tables: effects.tables)
    }

    /// True while its rows are being stepped through.
    var isRunning: Bool { functions.isBusy(pointer) != 0 }

    /// Runs `body`, and traces it when the statement is traced.
    /// - Parameter body: runs the statement; sets the number of its rows.
    @inline(__always)
    func traced<Result>(_ body: (inout Int) throws -> Result) rethrows -> Result {
        if let trace { return try trace.measure(body) }
        var rowCount = 0
        return try body(&rowCount)
    }

    /// Runs the statement and passes each row to a callback, which may use the connection.
    /// - Parameters:
    ///   - each: reads a row; false ends the run.
    ///   - current: set to the recompiled statement if SQLite recompiled it, also when the run fails.
    func run(
        _ values: UnsafeBufferPointer<StoreValue>, current: inout SQLiteStatement?,
        each: (borrowing StoreRow) throws -> Bool
    ) throws {
        guard let trace else { return try step(values, current: &current, each: each) }
        try trace.measure { rowCount in
            try step(values, current: &current) { row in
                rowCount += 1
                return try each(row)
            }
        }
    }

    private func step(
        _ values: UnsafeBufferPointer<StoreValue>, current: inout SQLiteStatement?,
        each: (borrowing StoreRow) throws -> Bool
    ) throws {
        var isCopied = false
        let isOutermost = interrupter.begin(isReadOnly: isReadOnly)
        // After the reset, SQLite's last call for this run.
        defer { if isOutermost { interrupter.end() } }
        do {
            try bind(values, &isCopied)
            let step = functions.step
            var code = step(pointer)
            if code == SQLiteConstant.schema { code = stepAgain() }
            if code != SQLiteConstant.row, code != SQLiteConstant.done {
                // First: the metadata take further calls, which replace SQLite's message.
                let error = failure(code)
                if wasRecompiled { current = recompiled() }
                throw error
            }
            if wasRecompiled { current = recompiled() }
            if code == SQLiteConstant.row {
                let names = current?.columnNames ?? columnNames
                let row = StoreRow(columnNames: names, SQLiteRow(pointer, functions))
                while code == SQLiteConstant.row, try each(row) { code = step(pointer) }
            }
            guard code == SQLiteConstant.done || code == SQLiteConstant.row else { throw failure(code) }
        } catch {
            release(isCopied)
            throw error
        }
        let code = release(isCopied)
        guard code == SQLiteConstant.ok else { throw failure(code) }
    }

    /// Starts the run again after the first step has found a changed schema.
    private func stepAgain() -> CInt {
        functions.repeatingForSchema {
            _ = functions.reset(pointer)
            return functions.step(pointer)
        }
    }

    /// Binds the parameters.
    /// - Parameter isCopied: set to true when SQLite has copied a value.
    private func bind(_ values: UnsafeBufferPointer<StoreValue>, _ isCopied: inout Bool) throws(StoreError) {
        guard values.count == parameterCount else {
            throw .wrongParameterCount(values.count, expected: parameterCount, in: sql.text)
        }
        let parameters = SQLiteParameters(pointer, functions)
        for index in values.indices {
            if values[index].isCopied { isCopied = true }
            let code = parameters.bind(values[index], at: CInt(truncatingIfNeeded: index + 1))
            guard code == SQLiteConstant.ok else { throw failure(code) }
        }
    }

    /// Resets the statement after a run, which releases its locks and copied values.
    @discardableResult
    private func release(_ isCopied: Bool) -> CInt {
        let code = functions.reset(pointer)
        if isCopied { _ = functions.clearBindings(pointer) }
        return code
    }

    /// Resets the statement after a batch and unbinds the batch's bytes.
    func release() {
        _ = functions.reset(pointer)
        _ = functions.clearBindings(pointer)
    }
}

extension StoreValue {
    /// True for values that SQLite copies when binding.
    @inline(__always)
    fileprivate var isCopied: Bool {
        switch self {
        case .text, .blob: true
        case .null, .integer, .real: false
        }
    }
}

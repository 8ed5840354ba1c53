import Foundation
import SystemLibraries

/// A compiled statement, and what is known of it. It goes away with the last reference to it, so that one in use stays
/// whatever else is compiled.
///
/// Only who has the connection that made it may have a reference: a connection cannot be copied, and its statements are
/// one thread's at a time.
final class SQLiteStatement: Sendable {
    /// Finalizes what was compiled. It keeps an address, since a pointer is not `Sendable`.
    private final class Program: Sendable {
        let address: UInt
        private let finalize: SQLiteFunctions.Ask

        init(_ pointer: OpaquePointer, _ functions: SQLiteFunctions) {
            address = UInt(bitPattern: pointer)
            finalize = functions.finalize
        }

        deinit { _ = finalize(OpaquePointer(bitPattern: address)) }
    }

    let sql: SQLText
    let isReadOnly: Bool
    /// True when it reads nothing but tables, so that any connection may run it.
    let isForReaders: Bool
    let parameterCount: Int
    let columnNames: [String]
    let effects: StatementEffects
    /// Why a caller may not run it; nil when it may.
    let refusal: StoreError?
    /// How often SQLite had compiled it anew when the rest was read.
    let recompilations: CInt
    let functions: SQLiteFunctions
    private let compiler: StatementCompiler
    private let program: Program
    private let address: UInt

    var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// - Parameters:
    ///   - pointer: is finalized with this.
    ///   - compiler: has compiled it.
    convenience init(
        _ sql: SQLText, _ pointer: OpaquePointer, _ compiler: StatementCompiler, _ effects: StatementEffects
    ) {
        self.init(sql, Program(pointer, compiler.functions), compiler, effects)
    }

    private init(_ sql: SQLText, _ program: Program, _ compiler: StatementCompiler, _ effects: StatementEffects) {
        let pointer = OpaquePointer(bitPattern: program.address)
        let functions = compiler.functions
        self.sql = sql
        self.effects = effects
        self.program = program
        self.functions = functions
        self.compiler = compiler
        refusal = effects.refusal
        address = program.address
        isReadOnly = functions.isReadOnly(pointer) != 0
        isForReaders = isReadOnly && !effects.asksOfWrites
        parameterCount = Int(functions.parameterCount(pointer))
        recompilations = functions.status(pointer, SQLiteConstant.statusReprepare, 0)
        columnNames = (0..<functions.columnCount(pointer)).map { index in
            functions.columnName(pointer, index).map { String(cString: $0) } ?? ""
        }
    }

    /// True when SQLite has compiled it anew, for another schema: in its first step, if at all.
    var isOutdated: Bool { functions.status(pointer, SQLiteConstant.statusReprepare, 0) != recompilations }

    /// The same statement, as it is after SQLite has compiled it anew.
    func renewed() -> SQLiteStatement {
        SQLiteStatement(sql, program, compiler, isReadOnly ? effects : compiler.effects(of: sql) ?? effects)
    }

    /// The failure that a call has just ended with.
    func failure(_ code: CInt) -> StoreError { compiler.failure(code, running: sql, isReading: isReadOnly) }

    /// True while its rows are being read.
    var isRunning: Bool { functions.isBusy(pointer) != 0 }

    /// Runs the statement and hands over its rows. The connection is free meanwhile.
    /// - Parameters:
    ///   - each: reads a row; false ends the run.
    ///   - current: becomes what the statement is now, also on failure, when SQLite has compiled it anew.
    func run(
        _ values: UnsafeBufferPointer<StoreValue>, current: inout SQLiteStatement?,
        each: (borrowing StoreRow) throws -> Bool
    ) throws {
        do {
            try set(values)
            let step = functions.step
            var code = step(pointer)
            if isOutdated { current = renewed() }
            if code == SQLiteConstant.row {
                let names = current?.columnNames ?? columnNames
                let row = StoreRow(columnNames: names, SQLiteRow(pointer, functions))
                while code == SQLiteConstant.row, try each(row) { code = step(pointer) }
            }
            guard code == SQLiteConstant.done || code == SQLiteConstant.row else { throw failure(code) }
        } catch {
            release(values)
            throw error
        }
        let code = release(values)
        guard code == SQLiteConstant.ok else { throw failure(code) }
    }

    /// Gives the parameters their values.
    private func set(_ values: UnsafeBufferPointer<StoreValue>) throws(StoreError) {
        guard values.count == parameterCount else {
            throw StoreError(
                .invalidArgument,
                "The statement has \(parameterCount) parameters, and \(values.count) values were given.")
        }
        let parameters = SQLiteParameters(pointer, functions)
        for index in values.indices {
            let code = parameters.set(values[index], at: CInt(truncatingIfNeeded: index + 1))
            guard code == SQLiteConstant.ok else { throw failure(code) }
        }
    }

    /// Ends a run, so that the statement holds no lock and no copy of a text or a blob any more.
    @discardableResult
    private func release(_ values: UnsafeBufferPointer<StoreValue>) -> CInt {
        let code = functions.reset(pointer)
        if values.contains(where: \.isCopied) { _ = functions.clearBindings(pointer) }
        return code
    }

    /// Ends the runs for a batch, whose bytes the statement must not look for any more.
    func release() {
        _ = functions.reset(pointer)
        _ = functions.clearBindings(pointer)
    }
}

extension StoreValue {
    /// True for what SQLite copies when it is bound.
    fileprivate var isCopied: Bool {
        switch self {
        case .text, .blob: true
        case .null, .integer, .real: false
        }
    }
}

/// The text of a statement, which is another one when a byte is another; unlike `String`, which takes different bytes
/// for the same character.
struct SQLText: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        self.text = text
    }

    static func == (one: SQLText, other: SQLText) -> Bool { one.hasBytes(of: other.text) }

    /// True for a text of the same bytes.
    @inline(__always)
    func hasBytes(of other: String) -> Bool {
        let isEqual = text.utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { other in
                guard one.count == other.count else { return false }
                guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
                return memcmp(start, otherStart, one.count) == 0
            }
        }
        return isEqual.flatMap { $0 } ?? text.utf8.elementsEqual(other.utf8)
    }

    func hash(into hasher: inout Hasher) {
        _ = text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

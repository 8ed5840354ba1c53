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
    let parameterCount: Int
    let columnNames: [String]
    let effects: StatementEffects
    /// Why a caller may not run it; nil when it may.
    let refusal: StoreError?
    /// How often SQLite had compiled it anew when the rest was read.
    let recompilations: CInt
    private let program: Program
    private let address: UInt

    var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// - Parameter pointer: is finalized with this.
    convenience init(
        _ sql: SQLText, _ pointer: OpaquePointer, _ functions: SQLiteFunctions, effects: StatementEffects
    ) {
        self.init(sql, Program(pointer, functions), functions, effects)
    }

    /// The same statement, as it is after SQLite has compiled it anew.
    convenience init(_ old: SQLiteStatement, _ functions: SQLiteFunctions, effects: StatementEffects) {
        self.init(old.sql, old.program, functions, effects)
    }

    private init(_ sql: SQLText, _ program: Program, _ functions: SQLiteFunctions, _ effects: StatementEffects) {
        let pointer = OpaquePointer(bitPattern: program.address)
        self.sql = sql
        self.effects = effects
        self.program = program
        refusal = effects.refusal
        address = program.address
        isReadOnly = functions.isReadOnly(pointer) != 0
        parameterCount = Int(functions.parameterCount(pointer))
        recompilations = functions.status(pointer, SQLiteConstant.statusReprepare, 0)
        columnNames = (0..<functions.columnCount(pointer)).map { index in
            functions.columnName(pointer, index).map { String(cString: $0) } ?? ""
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

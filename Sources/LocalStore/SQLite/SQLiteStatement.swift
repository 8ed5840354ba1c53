import Foundation
import SystemLibraries

/// A compiled statement, owned by the connection that made it.
///
/// It keeps an address, since a pointer is not `Sendable`: a connection cannot be copied, so whoever has it is the only
/// one who uses its statements.
final class SQLiteStatement: Sendable {
    let sql: SQLText
    let isReadOnly: Bool
    let parameterCount: Int
    let columnNames: [String]
    let effects: StatementEffects
    /// How often SQLite had compiled it anew when the rest was read.
    let recompilations: CInt
    private let address: UInt

    var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

    init(_ sql: SQLText, _ pointer: OpaquePointer, _ functions: SQLiteFunctions, effects: StatementEffects) {
        self.sql = sql
        self.effects = effects
        address = UInt(bitPattern: pointer)
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

    static func == (one: SQLText, other: SQLText) -> Bool {
        let isEqual = one.text.utf8.withContiguousStorageIfAvailable { first in
            other.text.utf8.withContiguousStorageIfAvailable { second in
                guard first.count == second.count else { return false }
                guard let a = first.baseAddress, let b = second.baseAddress else { return true }
                return memcmp(a, b, first.count) == 0
            }
        }
        return isEqual.flatMap { $0 } ?? one.text.utf8.elementsEqual(other.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        _ = text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

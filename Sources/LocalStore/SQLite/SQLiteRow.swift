import SystemLibraries

/// The row that a statement has come to: its address, and the functions that read it.
///
/// It has nothing that is counted, so that reading a cell costs no more than SQLite's own call.
struct SQLiteRow {
    private let statement: OpaquePointer?
    private let columnType: SQLiteFunctions.AskWith
    private let columnInteger: SQLiteFunctions.ColumnInteger
    private let columnReal: SQLiteFunctions.ColumnReal
    private let columnText: SQLiteFunctions.ColumnText
    private let columnBlob: SQLiteFunctions.ColumnBlob
    private let columnBytes: SQLiteFunctions.AskWith

    init(_ statement: OpaquePointer?, _ functions: SQLiteFunctions) {
        self.statement = statement
        columnType = functions.columnType
        columnInteger = functions.columnInteger
        columnReal = functions.columnReal
        columnText = functions.columnText
        columnBlob = functions.columnBlob
        columnBytes = functions.columnBytes
    }

    /// The storage class of a cell, which has to be there.
    @inline(__always)
    func kind(at index: Int) -> StoreValue.Kind {
        switch columnType(statement, CInt(truncatingIfNeeded: index)) {
        case SQLiteConstant.integer: .integer
        case SQLiteConstant.real: .real
        case SQLiteConstant.text: .text
        case SQLiteConstant.blob: .blob
        default: .null
        }
    }

    /// A cell, which has to be there. Its bytes stay until the next step.
    @inline(__always)
    func cell(at index: Int) -> StoreCell {
        let column = CInt(truncatingIfNeeded: index)
        switch kind(at: index) {
        case .integer: return .integer(columnInteger(statement, column))
        case .real: return .real(columnReal(statement, column))
        case .text: return .text(bytes(from: UnsafeRawPointer(columnText(statement, column)), column))
        case .blob: return .blob(bytes(from: columnBlob(statement, column), column))
        case .null: return .null
        }
    }

    /// - Parameter start: asked for before, since the count is that of the form that was asked for last.
    @inline(__always)
    private func bytes(from start: UnsafeRawPointer?, _ column: CInt) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(columnBytes(statement, column)))
    }
}

import SystemLibraries

/// The row that a statement has come to: its address, and the functions that read it.
///
/// It has nothing that is counted, so that reading a cell costs no more than SQLite's own call.
struct SQLiteRow {
    private let statement: OpaquePointer?
    private let columnValue: SQLiteFunctions.ColumnValue
    private let valueType: SQLiteFunctions.Ask
    private let valueInteger: SQLiteFunctions.ValueInteger
    private let valueReal: SQLiteFunctions.ValueReal
    private let valueText: SQLiteFunctions.ValueText
    private let valueBlob: SQLiteFunctions.ValueBlob
    private let valueBytes: SQLiteFunctions.Ask

    init(_ statement: OpaquePointer?, _ functions: SQLiteFunctions) {
        self.statement = statement
        columnValue = functions.columnValue
        valueType = functions.valueType
        valueInteger = functions.valueInteger
        valueReal = functions.valueReal
        valueText = functions.valueText
        valueBlob = functions.valueBlob
        valueBytes = functions.valueBytes
    }

    /// The storage class of a cell, which has to be there.
    @inline(__always)
    func kind(at index: Int) -> StoreValue.Kind { kind(of: value(at: index)) }

    /// A cell, which has to be there. Its bytes stay until the next step.
    @inline(__always)
    func cell(at index: Int) -> StoreCell {
        let value = value(at: index)
        switch kind(of: value) {
        case .integer: return .integer(valueInteger(value))
        case .real: return .real(valueReal(value))
        case .text: return .text(bytes(from: UnsafeRawPointer(valueText(value)), of: value))
        case .blob: return .blob(bytes(from: valueBlob(value), of: value))
        case .null: return .null
        }
    }

    @inline(__always)
    private func value(at index: Int) -> OpaquePointer? { columnValue(statement, CInt(truncatingIfNeeded: index)) }

    @inline(__always)
    private func kind(of value: OpaquePointer?) -> StoreValue.Kind {
        switch valueType(value) {
        case SQLiteConstant.integer: .integer
        case SQLiteConstant.real: .real
        case SQLiteConstant.text: .text
        case SQLiteConstant.blob: .blob
        default: .null
        }
    }

    /// - Parameter start: asked for before, since the count is that of the form that was asked for last.
    @inline(__always)
    private func bytes(from start: UnsafeRawPointer?, of value: OpaquePointer?) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(valueBytes(value)))
    }
}

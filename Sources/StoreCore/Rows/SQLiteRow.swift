package import SystemLibraries

/// Current row of a statement: its address and the column functions.
///
/// It is in this module, beside ``StoreRow``, and has no reference-counted members, so that reading a cell costs no
/// more than SQLite's own calls.
package struct SQLiteRow {
    /// Storage classes as `sqlite3.h` numbers them.
    private enum Class {
        static let integer: CInt = 1
        static let real: CInt = 2
        static let text: CInt = 3
        static let blob: CInt = 4
    }

    private let statement: OpaquePointer?
    private let columnValue: SQLiteFunctions.ColumnValue
    private let valueType: SQLiteFunctions.HandleFunction
    private let valueInteger: SQLiteFunctions.ValueInteger
    private let valueReal: SQLiteFunctions.ValueReal
    private let valueText: SQLiteFunctions.ValueText
    private let valueBlob: SQLiteFunctions.ValueBlob
    private let valueBytes: SQLiteFunctions.HandleFunction

    /// - Parameter statement: must stay valid until the rows have been read.
    package init(_ statement: OpaquePointer?, _ functions: borrowing SQLiteFunctions) {
        self.statement = statement
        columnValue = functions.columnValue
        valueType = functions.valueType
        valueInteger = functions.valueInteger
        valueReal = functions.valueReal
        valueText = functions.valueText
        valueBlob = functions.valueBlob
        valueBytes = functions.valueBytes
    }

    /// The storage class of a cell; the index must be valid.
    @inline(__always)
    func kind(at index: Int) -> StoreValue.Kind { kind(of: value(at: index)) }

    /// A borrowed cell; the index must be valid. Its bytes are valid until the next step.
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
        case Class.integer: .integer
        case Class.real: .real
        case Class.text: .text
        case Class.blob: .blob
        default: .null
        }
    }

    /// - Parameter start: fetched before the count, which refers to the representation fetched last.
    @inline(__always)
    private func bytes(from start: UnsafeRawPointer?, of value: OpaquePointer?) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(valueBytes(value)))
    }
}

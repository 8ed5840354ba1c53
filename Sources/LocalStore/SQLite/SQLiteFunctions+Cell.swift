import SystemLibraries

extension SQLiteFunctions {
    /// A cell of the row that a statement has come to; null when there is none at that index. Its bytes stay until the
    /// next step.
    @inline(__always)
    func cell(of statement: OpaquePointer?, at index: Int) -> StoreCell {
        guard let column = CInt(exactly: index), column >= 0 else { return .null }
        switch columnType(statement, column) {
        case SQLiteConstant.integer: return .integer(columnInteger(statement, column))
        case SQLiteConstant.real: return .real(columnReal(statement, column))
        case SQLiteConstant.text:
            // The count is that of the text that was asked for before it.
            let start = UnsafeRawPointer(columnText(statement, column))
            return .text(
                UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(columnBytes(statement, column))))
        case SQLiteConstant.blob:
            let start = columnBlob(statement, column)
            return .blob(
                UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(columnBytes(statement, column))))
        default: return .null
        }
    }
}

extension SQLValue {
    /// The value of a cell whose bytes, if any, are in `arena`. They are not copied.
    @inline(__always)
    init(_ cell: RowBatch.Cell, in arena: [UInt8]) {
        switch cell.kind {
        case .null: self = .null
        case .integer: self = .integer(cell.integer)
        case .real: self = .real(cell.real)
        case .text: self = .text(arena[cell.offset..<cell.offset + cell.count])
        case .blob: self = .blob(arena[cell.offset..<cell.offset + cell.count])
        }
    }
}

/// Some columns of a table as they are now. They share the table's memory for as long as nobody changes the table.
struct MemoryView: Sendable {
    /// Nil is the rowid.
    private let columns: [MemoryColumn?]
    private let rowids: [Int64]

    /// - Parameter columns: which ones; nil is the rowid.
    init(_ table: borrowing MemoryTable, _ columns: [Int?]) {
        self.columns = columns.map { column in column.map { table.columns[$0] } }
        rowids = columns.contains(nil) ? table.rowids : []
    }

    /// - Parameter columns: nil is the rowid.
    init(_ columns: [MemoryColumn?], rowids: [Int64]) {
        self.columns = columns
        self.rowids = rowids
    }

    /// A column, where it lies while it is lent.
    struct Column {
        /// Nil for the rowid, which is always an integer.
        fileprivate let kinds: UnsafePointer<UInt8>?
        fileprivate let bits: UnsafeRawPointer?
        fileprivate let arena: UnsafeRawPointer?

        /// A cell, which has to be there.
        @inline(__always)
        func cell(at row: Int) -> StoreCell {
            guard let bits = bits?.load(fromByteOffset: row &* 8, as: UInt64.self) else { return .null }
            guard let kinds else { return StoreCell(kind: .integer, bits: bits, start: nil) }
            let kind = StoreValue.Kind(rawValue: kinds[row]) ?? .null
            guard kind == .text || kind == .blob else { return StoreCell(kind: kind, bits: bits, start: nil) }
            let cell = RowBatch.Cell(bits: bits, kind: kind)
            return StoreCell(kind: kind, bits: UInt64(cell.count), start: arena.map { $0 + cell.offset })
        }
    }

    /// Lends the columns, in their order.
    func lend<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<Column>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var lent: [Column] = []
        lent.reserveCapacity(columns.count)
        return try lend(&lent, body)
    }

    /// Lends the column behind those that are lent already, and then the rest.
    private func lend<Result, Failure: Error>(
        _ lent: inout [Column], _ body: (UnsafeBufferPointer<Column>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard lent.count < columns.count else {
            return try lent.withUnsafeBufferPointer { columns throws(Failure) in try body(columns) }
        }
        guard let column = columns[lent.count] else {
            return try rowids.withUnsafeBufferPointer { rowids throws(Failure) in
                lent.append(Column(kinds: nil, bits: UnsafeRawPointer(rowids.baseAddress), arena: nil))
                return try lend(&lent, body)
            }
        }
        return try column.kinds.withUnsafeBufferPointer { kinds throws(Failure) in
            try column.bits.withUnsafeBufferPointer { bits throws(Failure) in
                try column.arena.withBytes { arena throws(Failure) in
                    lent.append(
                        Column(
                            kinds: kinds.baseAddress, bits: UnsafeRawPointer(bits.baseAddress),
                            arena: arena.baseAddress))
                    return try lend(&lent, body)
                }
            }
        }
    }
}

/// The row that the reading of a ``MemoryView`` has come to.
struct MemoryCursor {
    let columns: UnsafeBufferPointer<MemoryView.Column>
    var row: Int
}

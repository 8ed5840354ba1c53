/// A snapshot of some columns of a table. Copy on write: it shares their memory until the table changes.
struct ColumnSnapshot: Sendable {
    /// Nil for the rowid.
    private let columns: [MemoryColumn?]
    private let rowids: [Int64]

    /// - Parameter columns: indexes of the columns; nil for the rowid.
    init(_ table: borrowing MemoryTable, _ columns: [Int?]) {
        self.columns = columns.map { column in column.map { table.columns[$0] } }
        rowids = columns.contains(nil) ? table.rowids : []
    }

    /// - Parameter columns: the columns; nil for the rowid.
    init(_ columns: [MemoryColumn?], rowids: [Int64]) {
        self.columns = columns
        self.rowids = rowids
    }

    /// Pointers to a column's arrays, valid within ``withColumns(_:)``. Reading through them skips retains and bounds
    /// checks.
    struct Column {
        /// Nil for the rowid, whose cells are all integers.
        let kinds: UnsafePointer<UInt8>?
        /// See ``MemoryColumn/masks``; nil for the rowid.
        let masks: UnsafePointer<UInt8>?
        let bits: UnsafeRawPointer?
        let arena: UnsafeRawPointer?

        /// The cell of a row; `row` is not checked.
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

    /// Calls `body` with pointers to the columns, in order.
    func withColumns<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<Column>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var pointers: [Column] = []
        pointers.reserveCapacity(columns.count)
        return try withColumns(&pointers, body)
    }

    /// Recursion nests one `withUnsafe...` scope per column: appends the next column, then handles the rest.
    private func withColumns<Result, Failure: Error>(
        _ pointers: inout [Column], _ body: (UnsafeBufferPointer<Column>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard pointers.count < columns.count else {
            return try pointers.withUnsafeBufferPointer { columns throws(Failure) in try body(columns) }
        }
        guard let column = columns[pointers.count] else {
            return try rowids.withUnsafeBufferPointer { rowids throws(Failure) in
                pointers.append(
                    Column(kinds: nil, masks: nil, bits: UnsafeRawPointer(rowids.baseAddress), arena: nil))
                return try withColumns(&pointers, body)
            }
        }
        return try column.kinds.withUnsafeBufferPointer { kinds throws(Failure) in
            try column.bits.withUnsafeBufferPointer { bits throws(Failure) in
                try column.arena.withBytes { arena throws(Failure) in
                    try column.masks.withUnsafeBufferPointer { masks throws(Failure) in
                        pointers.append(
                            Column(
                                kinds: kinds.baseAddress, masks: masks.baseAddress,
                                bits: UnsafeRawPointer(bits.baseAddress), arena: arena.baseAddress))
                        return try withColumns(&pointers, body)
                    }
                }
            }
        }
    }
}

/// A cursor: the current row of a ``ColumnSnapshot``.
struct MemoryCursor {
    let columns: UnsafeBufferPointer<ColumnSnapshot.Column>
    var row: Int
}

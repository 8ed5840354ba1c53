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
    ///
    /// The pointers leave their `withUnsafe...` scopes, since nested scopes for 2000 columns would overflow the stack.
    /// They stay valid: an array of numbers does not move its elements, and this snapshot holds a reference to each
    /// array, so a change of the table meanwhile copies it.
    func withColumns<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<Column>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        var pointers: [Column] = []
        pointers.reserveCapacity(columns.count)
        for column in columns { pointers.append(Column(column, rowids: rowids)) }
        return try pointers.withUnsafeBufferPointer { columns throws(Failure) in try body(columns) }
    }
}

extension ColumnSnapshot.Column {
    /// - Parameter column: nil for the rowid.
    fileprivate init(_ column: MemoryColumn?, rowids: [Int64]) {
        guard let column else {
            kinds = nil
            masks = nil
            bits = rowids.withUnsafeBytes { $0.baseAddress }
            arena = nil
            return
        }
        kinds = column.kinds.withUnsafeBufferPointer { $0.baseAddress }
        masks = column.masks.withUnsafeBufferPointer { $0.baseAddress }
        bits = column.bits.withUnsafeBytes { $0.baseAddress }
        arena = column.arena.withUnsafeBytes { $0.baseAddress }
    }
}

/// A cursor: the current row of a ``ColumnSnapshot``.
struct MemoryCursor {
    let columns: UnsafeBufferPointer<ColumnSnapshot.Column>
    var row: Int
}

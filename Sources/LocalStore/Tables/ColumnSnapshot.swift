import StoreCore

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

    /// Calls `body` with pointers to the columns, in order.
    ///
    /// The pointers leave their `withUnsafe...` scopes, since nested scopes for 2000 columns would overflow the stack.
    /// They stay valid: an array of numbers does not move its elements, and this snapshot holds a reference to each
    /// array, so a change of the table meanwhile copies it.
    func withColumns<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<ColumnCells>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        var pointers: [ColumnCells] = []
        pointers.reserveCapacity(columns.count)
        for column in columns { pointers.append(ColumnCells(column, rowids: rowids)) }
        return try pointers.withUnsafeBufferPointer { columns throws(Failure) in try body(columns) }
    }
}

extension ColumnCells {
    /// - Parameter column: nil for the rowid.
    fileprivate init(_ column: MemoryColumn?, rowids: [Int64]) {
        guard let column else {
            let bits = rowids.withUnsafeBytes { $0.baseAddress?.assumingMemoryBound(to: UInt64.self) }
            self.init(kinds: nil, bits: bits, arena: nil)
            return
        }
        self.init(
            kinds: column.kinds.withUnsafeBufferPointer { $0.baseAddress },
            bits: column.bits.withUnsafeBufferPointer { $0.baseAddress },
            arena: column.arena.withUnsafeBytes { $0.baseAddress })
    }
}

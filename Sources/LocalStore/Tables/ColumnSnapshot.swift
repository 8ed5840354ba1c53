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

    /// The values of a row.
    func values(row: Int) -> [SQLValue] { columns.map { $0?.value(at: row) ?? .integer(rowids[row]) } }

    /// Number of columns whose arrays ``withCells(_:)`` reads in place; further ones are copied.
    ///
    /// Each column takes nested calls, with 5 KiB of stack in a debug build; a secondary thread may have 512 KiB.
    static let maximumInPlace = 32

    /// Calls `body` with the cells of the columns, in order. They are valid until it returns.
    func withCells<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<ColumnCells>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var cells: [ColumnCells] = []
        cells.reserveCapacity(columns.count)
        return try addCells(to: &cells, body)
    }

    /// Adds the cells of the next column, and calls itself for the others, within the scope of its pointers.
    private func addCells<Result, Failure: Error>(
        to cells: inout [ColumnCells], _ body: (UnsafeBufferPointer<ColumnCells>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard cells.count < columns.count else { return try cells.withUnsafeBufferPointer(body) }
        guard cells.count < Self.maximumInPlace else {
            return try ColumnCopies(columns[cells.count...], rowids: rowids).withCells(after: cells, body)
        }
        guard let column = columns[cells.count] else {
            return try rowids.withBits { bits throws(Failure) in
                cells.append(ColumnCells(kinds: nil, bits: bits.baseAddress, arena: nil))
                return try addCells(to: &cells, body)
            }
        }
        return try column.kinds.withUnsafeBufferPointer { kinds throws(Failure) in
            try column.bits.withUnsafeBufferPointer { bits throws(Failure) in
                try column.arena.withBytes { arena throws(Failure) in
                    cells.append(
                        ColumnCells(kinds: kinds.baseAddress, bits: bits.baseAddress, arena: arena.baseAddress))
                    return try addCells(to: &cells, body)
                }
            }
        }
    }
}

extension [Int64] {
    /// As `withUnsafeBufferPointer`, with the elements as the payloads of cells.
    fileprivate func withBits<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt64>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { numbers throws(Failure) in
            try numbers.withMemoryRebound(to: UInt64.self) { bits throws(Failure) in try body(bits) }
        }
    }
}

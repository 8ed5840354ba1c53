/// A selection of rows, cut into blocks for the kernels of grouping.
///
/// In an ordered selection, a block's rows have one entry of ``MemoryColumn/masks``.
struct RowBlocks: Sequence, IteratorProtocol {
    /// Positions in the selection, and the index of the rows' masks.
    struct Block {
        let positions: Range<Int>
        /// Nil if the rows have different masks.
        let mask: Int?
    }

    private let rows: [Int32]
    private let isOrdered: Bool
    private var position = 0

    init(_ rows: [Int32], of table: borrowing MemoryTable) {
        self.rows = rows
        // A reversed selection is not cut at masks.
        isOrdered = table.isOrdered && rows.first ?? 0 <= rows.last ?? 0
    }

    mutating func next() -> Block? {
        guard position < rows.count else { return nil }
        let start = position
        let limit = Swift.min(start + MemoryColumn.blockSize, rows.count)
        guard isOrdered else {
            position = limit
            return Block(positions: start..<limit, mask: nil)
        }
        let mask = Int(rows[start]) / MemoryColumn.blockSize
        let end = (mask + 1) * MemoryColumn.blockSize
        position = limit
        while Int(rows[position - 1]) >= end { position -= 1 }
        return Block(positions: start..<position, mask: mask)
    }
}

extension MemoryTable {
    /// The storage classes that may occur in a block of rows, as a bit set; all of them if it is unknown.
    /// - Parameter column: nil for the rowid.
    func mask(of column: Int?, in block: RowBlocks.Block) -> UInt8 {
        guard let column else { return MemoryColumn.mask(.integer) }
        return block.mask.map { columns[column].masks[$0] } ?? .max
    }
}

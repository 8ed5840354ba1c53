import StoreCore

/// Numbers the groups of rows by the cells of one or several key columns, block by block.
///
/// With several keys, the groups of the first one are combined with those of each further one, as pairs of numbers.
struct ColumnGrouper {
    /// One index per key.
    private var indexes: [GroupIndex]
    /// For each key but the first, the index of the pairs.
    private var pairs: [GroupIndex]
    /// The group of each row of the last block.
    private(set) var groups = [Int32](repeating: 0, count: MemoryColumn.blockSize)
    private var others = [Int32](repeating: 0, count: MemoryColumn.blockSize)

    init(_ seed: HashSeed, keyCount: Int) {
        indexes = (0..<keyCount).map { _ in GroupIndex(seed) }
        pairs = (1..<max(keyCount, 1)).map { _ in GroupIndex(seed) }
    }

    var groupCount: Int { pairs.last?.firstRows.count ?? indexes[0].firstRows.count }

    /// The first row of each group.
    var firstRows: [Int32] { pairs.last?.firstRows ?? indexes[0].firstRows }

    /// Adds a block of rows; ``groups`` then has their groups.
    /// - Parameters:
    ///   - keys: the columns of the keys; nil for the rowid.
    ///   - cells: the cells of these columns.
    mutating func add(
        _ block: RowBlocks.Block, _ rows: [Int32], of table: borrowing MemoryTable, _ keys: [Int?],
        _ cells: [ColumnCells]
    ) {
        rows.withUnsafeBufferPointer { rows in
            let rows = UnsafeBufferPointer(rebasing: rows[block.positions])
            indexes[0].add(rows, cells[0], mask: table.mask(of: keys[0], in: block), to: &groups)
            for key in indexes.indices.dropFirst() {
                indexes[key].add(rows, cells[key], mask: table.mask(of: keys[key], in: block), to: &others)
                pairs[key - 1].combine(rows, others, into: &groups)
            }
        }
    }
}

/// How to take back what was changed since the last commit; and so also what was changed, for the journal.
struct UndoLog {
    typealias Cell = RowBatch.Cell

    enum Entry {
        case inserted(table: Int, first: Int, count: Int)
        case deleted(table: Int, first: Int, count: Int)
        /// The cells that a row had, from a place in ``cells`` on, and its rowid.
        case updated(table: Int, row: Int, rowid: Int64, cells: Int)
        /// A row that was inserted at the place of a tombstone, with the tombstone's cells.
        case revived(table: Int, row: Int, cells: Int)
        case created(table: Int)
        indirect case dropped(MemoryTable)
        /// Another name or another column.
        case redefined(table: Int, MemoryTableDefinition)
    }

    private(set) var entries: [Entry] = []
    /// Cells of changed rows, each row's one behind the other.
    private(set) var cells: [Cell] = []

    var isEmpty: Bool { entries.isEmpty }
    /// How many entries there were when the last mark was made: none of them may grow.
    private var sealedCount = 0

    /// A point to come back to.
    mutating func makeMark() -> Int {
        sealedCount = entries.count
        return sealedCount
    }

    mutating func didInsert(_ row: Int, into table: Int) {
        if case .inserted(table: table, let first, let count) = entries.last, first + count == row,
            entries.count > sealedCount
        {
            entries[entries.count - 1] = .inserted(table: table, first: first, count: count + 1)
        } else {
            entries.append(.inserted(table: table, first: row, count: 1))
        }
    }

    mutating func didDelete(_ row: Int, from table: Int) {
        if case .deleted(table: table, let first, let count) = entries.last, first + count == row,
            entries.count > sealedCount
        {
            entries[entries.count - 1] = .deleted(table: table, first: first, count: count + 1)
        } else {
            entries.append(.deleted(table: table, first: row, count: 1))
        }
    }

    mutating func willUpdate(_ row: Int, of table: MemoryTable) {
        entries.append(.updated(table: table.slot, row: row, rowid: table.rowid(row: row), cells: cells.count))
        keepCells(row, of: table)
    }

    mutating func willRevive(_ row: Int, of table: MemoryTable) {
        entries.append(.revived(table: table.slot, row: row, cells: cells.count))
        keepCells(row, of: table)
    }

    mutating func note(_ entry: Entry) { entries.append(entry) }

    mutating func popLast() -> Entry? {
        sealedCount = min(sealedCount, entries.count - 1)
        return entries.popLast()
    }

    mutating func removeCells(from place: Int) { cells.removeLast(cells.count - place) }

    mutating func removeAll() {
        sealedCount = 0
        entries.removeAll(keepingCapacity: entries.count < 1024)
        cells.removeAll(keepingCapacity: cells.count < 1024)
    }

    private mutating func keepCells(_ row: Int, of table: MemoryTable) {
        for column in table.columns.indices { cells.append(table.cell(row: row, column: column)) }
    }
}

import StoreCore

/// An undo log: the changes since the last commit, with the previous cells, oldest first.
///
/// A rollback applies it backwards down to a savepoint, which is an index into ``entries``. The journal reads it to
/// learn what a commit changed. Adjacent inserts and deletes are merged into one entry.
struct UndoLog {
    typealias Cell = RowBatch.Cell

    enum Entry {
        case inserted(table: Int, first: Int, count: Int)
        case deleted(table: Int, first: Int, count: Int)
        /// A row's previous rowid, and the index in ``cells`` of its previous cells.
        case updated(table: Int, row: Int, rowid: Int64, cells: Int)
        /// A row inserted over a tombstone, with the tombstone's cells.
        case revived(table: Int, row: Int, cells: Int)
        case created(table: Int)
        indirect case dropped(MemoryTable)
        /// A table with a new name, a new name of a column, or a column added.
        case redefined(table: Int, MemoryTableDefinition)
        /// A table as it was before a column was dropped; the one in its slot has another identity in the journal.
        indirect case replaced(MemoryTable)
        /// The previous value of `PRAGMA user_version`.
        case userVersion(Int32)
    }

    private(set) var entries: [Entry] = []
    /// The rowid of the last inserted row, for `last_insert_rowid()`; a rollback does not change it.
    var lastInsertedRowid: Int64 = 0
    /// Previous cells of changed rows, row by row.
    private(set) var cells: [Cell] = []

    var isEmpty: Bool { entries.isEmpty }
    /// Number of entries at the last savepoint; these are no longer merged with new ones.
    private var sealedCount = 0

    /// Returns a savepoint for ``MemoryDatabase/rollBack(to:)``.
    mutating func makeSavepoint() -> Int {
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
        appendCells(row, of: table)
    }

    mutating func willRevive(_ row: Int, of table: MemoryTable) {
        entries.append(.revived(table: table.slot, row: row, cells: cells.count))
        appendCells(row, of: table)
    }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    mutating func popLast() -> Entry? {
        sealedCount = min(sealedCount, entries.count - 1)
        return entries.popLast()
    }

    mutating func removeCells(from index: Int) { cells.removeLast(cells.count - index) }

    mutating func removeAll() {
        sealedCount = 0
        entries.removeAll(keepingCapacity: entries.count < 1024)
        cells.removeAll(keepingCapacity: cells.count < 1024)
    }

    private mutating func appendCells(_ row: Int, of table: MemoryTable) {
        for column in table.columns.indices { cells.append(table.cell(row: row, column: column)) }
    }
}

import StoreCore

extension MemoryTable {
    /// Inserts a row whose constraints have been checked.
    /// - Parameter values: one per column, converted to its affinity; the rowid column's value is ignored.
    /// - Returns: the row.
    @discardableResult
    mutating func insert(_ values: [SQLValue], rowid: Int64, _ undo: inout UndoLog) throws(StoreError) -> Int {
        var cells: [RowBatch.Cell] = []
        for column in columns.indices {
            cells.append(
                column == definition.rowidColumn ? .null : try columns[column].cell(for: values[column]))
        }
        return try insert(cells, rowid: rowid, &undo)
    }

    /// Inserts a row whose bytes are already in the columns' arenas.
    /// - Returns: the row.
    @discardableResult
    mutating func insert(_ cells: [RowBatch.Cell], rowid: Int64, _ undo: inout UndoLog) throws(StoreError) -> Int {
        let (row, isNew) = try allocateRow(rowid: rowid, &undo)
        for column in columns.indices where column != definition.rowidColumn {
            if isNew { columns[column].append(cells[column]) } else { columns[column].set(cells[column], at: row) }
        }
        index(row)
        return row
    }

    mutating func delete(_ row: Int, _ undo: inout UndoLog) {
        unindex(row)
        setDeleted(row, true)
        undo.didDelete(row, from: slot)
    }

    /// Updates cells of a row after a check of its constraints.
    /// - Parameters:
    ///   - changes: columns and values, converted to their affinities; without the rowid column.
    ///   - rowid: the row's new rowid.
    mutating func update(
        _ row: Int, _ changes: [(column: Int, value: SQLValue)], rowid: Int64, _ undo: inout UndoLog
    ) throws(StoreError) {
        var cells: [(column: Int, cell: RowBatch.Cell)] = []
        for change in changes { cells.append((change.column, try columns[change.column].cell(for: change.value))) }
        undo.willUpdate(row, of: self)
        let isKeyChanged =
            rowid != self.rowid(row: row)
            || keys.contains { key in changes.contains { key.columns.contains($0.column) } }
        if isKeyChanged { unindex(row) }
        for (column, cell) in cells { columns[column].set(cell, at: row) }
        setRowid(rowid, at: row)
        if isKeyChanged { index(row) }
    }

    /// Updates cells outside all keys, so no index changes.
    mutating func update(
        _ row: Int, _ undo: inout UndoLog, _ change: (inout MemoryTable) throws(StoreError) -> Void
    ) throws(StoreError) {
        undo.willUpdate(row, of: self)
        try change(&self)
    }

    /// Adds a column with its default value in every row. All cells share the bytes of one value.
    mutating func addColumn(_ definition: MemoryTableDefinition) throws(StoreError) {
        let value = try definition.defaultValue(columns.count)
        columns.append(try MemoryColumn(repeating: value, count: physicalRowCount))
        self.definition = definition
    }

    /// Removes a column that is in no key, as a table with another identity in the journal.
    mutating func removeColumn(_ column: Int, _ definition: MemoryTableDefinition, id: UInt32) {
        columns.remove(at: column)
        keys = zip(definition.uniqueKeys, keys).map { Key(columns: $0, index: $1.index) }
        self.definition = definition
        self.id = id
    }

    // MARK: Undo

    mutating func undoInsert(first: Int, count: Int) {
        for row in (first..<first + count).reversed() {
            unindex(row)
            removeLastRow()
        }
    }

    mutating func undoDelete(first: Int, count: Int) {
        for row in first..<first + count {
            setDeleted(row, false)
            index(row)
        }
    }

    mutating func undoUpdate(_ row: Int, rowid: Int64, _ cells: ArraySlice<RowBatch.Cell>) {
        unindex(row)
        restore(cells, at: row)
        setRowid(rowid, at: row)
        index(row)
    }

    mutating func undoRevival(_ row: Int, _ cells: ArraySlice<RowBatch.Cell>) {
        unindex(row)
        restore(cells, at: row)
        setDeleted(row, true)
    }

    private mutating func restore(_ cells: ArraySlice<RowBatch.Cell>, at row: Int) {
        for (column, cell) in zip(columns.indices, cells) where column != definition.rowidColumn {
            columns[column].restore(cell, at: row)
        }
    }
}

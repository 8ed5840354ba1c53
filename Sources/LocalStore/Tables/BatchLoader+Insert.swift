import StoreCore

extension BatchLoader {
    /// Inserts the rows, as an INSERT statement does; an existing key is an error.
    /// - Returns: the rowid of the last row; nil for an empty batch.
    func insert(into table: inout MemoryTable, _ undo: inout UndoLog) throws(StoreError) -> Int64? {
        table.reserve(batch.rowCount)
        let notNull = notNullColumns
        var newCells = [RowBatch.Cell](repeating: .null, count: sources.count)
        var rowid: Int64?
        try batch.arena.withBytes { arena throws(StoreError) in
            for row in 0..<batch.rowCount {
                try interruption.check(afterRow: row)
                try checkNotNull(row, notNull)
                let newRowid = try freeRowid(row, in: &table)
                if !table.keys.isEmpty { try checkKeys(row, newRowid, in: table) }
                try fill(&newCells, row, arena, &table)
                try table.insert(newCells, rowid: newRowid, &undo)
                rowid = newRowid
            }
        }
        return rowid
    }

    /// The rowid that a row of the batch asks for, or the next one.
    @inline(__always)
    private func freeRowid(_ row: Int, in table: inout MemoryTable) throws(StoreError) -> Int64 {
        guard let column = definition.rowidColumn, let source = sources[column] else { return try table.nextRowid() }
        let cell = batch.cells[row * columns.count + source]
        if cell.kind == .null { return try table.nextRowid() }
        let rowid =
            cell.kind == .integer ? cell.integer : try table.rowid(from: batch.sqlValue(row: row, column: source))
        guard table.row(rowid: rowid) == nil else {
            throw definition.constraintError("UNIQUE constraint failed", definition.primaryKey)
        }
        return rowid
    }

    private func checkKeys(_ row: Int, _ rowid: Int64, in table: borrowing MemoryTable) throws(StoreError) {
        for key in table.keys.indices {
            let columns = table.keys[key].columns
            let values = columns.map { column in
                if column == definition.rowidColumn { return SQLValue.integer(rowid) }
                guard let source = sources[column] else { return defaults[column] }
                return definition.affinities[column].stored(batch.sqlValue(row: row, column: source))
            }
            if table.row(key: key, values: values) != nil {
                throw definition.constraintError("UNIQUE constraint failed", columns)
            }
        }
    }
}

extension MemoryTable {
    /// Inserts a row after checking its constraints, and resolves conflicts.
    /// - Parameters:
    ///   - values: one per column, converted to its affinity.
    ///   - requested: the rowid; NULL for the next free one.
    /// - Returns: false if the row was skipped (`OR IGNORE`).
    mutating func insert(
        _ values: inout [SQLValue], rowid requested: SQLValue, _ conflict: SQLConflict, _ undo: inout UndoLog
    ) throws(StoreError) -> Bool {
        let rowid = requested.isNull ? nil : try rowid(from: requested)
        for column in columns.indices where values[column].isNull && definition.schema.columns[column].isNotNull {
            if column == definition.rowidColumn { continue }
            if conflict == .ignore { return false }
            if conflict == .replace { values[column] = try definition.defaultValue(column) }
            if values[column].isNull {
                throw definition.constraintError("NOT NULL constraint failed", [column])
            }
        }
        let newRowid: Int64
        if let rowid { newRowid = rowid } else { newRowid = try nextRowid() }
        if rowid != nil, let row = row(rowid: newRowid) {
            switch conflict {
            case .abort: throw definition.constraintError("UNIQUE constraint failed", definition.primaryKey)
            case .ignore: return false
            case .replace: delete(row, &undo)
            }
        }
        for key in keys.indices {
            let keyValues = keys[key].columns.map { $0 == definition.rowidColumn ? .integer(newRowid) : values[$0] }
            guard let row = row(key: key, values: keyValues) else { continue }
            switch conflict {
            case .abort: throw definition.constraintError("UNIQUE constraint failed", keys[key].columns)
            case .ignore: return false
            case .replace: delete(row, &undo)
            }
        }
        try insert(values, rowid: newRowid, &undo)
        return true
    }

    /// Converts a value to a rowid.
    func rowid(from value: SQLValue) throws(StoreError) -> Int64 {
        guard case .integer(let rowid) = ColumnAffinity.integer.stored(value) else {
            throw definition.constraintError(
                "datatype mismatch: the key must be an integer", definition.rowidColumn.map { [$0] } ?? [])
        }
        return rowid
    }

    /// Checks the constraints of an update.
    func check(
        _ row: Int, _ changes: [(column: Int, value: SQLValue)], rowid: Int64
    ) throws(StoreError) {
        for change in changes where change.value.isNull && definition.schema.columns[change.column].isNotNull {
            throw definition.constraintError("NOT NULL constraint failed", [change.column])
        }
        if rowid != self.rowid(row: row), self.row(rowid: rowid) != nil {
            throw definition.constraintError("UNIQUE constraint failed", definition.primaryKey)
        }
        for (index, key) in keys.enumerated() {
            let values = key.columns.map { column in
                column == definition.rowidColumn
                    ? .integer(rowid)
                    : changes.last { $0.column == column }?.value ?? value(row: row, column: column)
            }
            if let other = self.row(key: index, values: values), other != row {
                throw definition.constraintError("UNIQUE constraint failed", key.columns)
            }
        }
    }
}

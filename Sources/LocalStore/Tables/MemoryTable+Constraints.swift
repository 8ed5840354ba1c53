import StoreCore

extension MemoryTable {
    /// What becomes of a new row.
    enum ConflictOutcome {
        case insert(rowid: Int64)
        /// The row is left out (`OR IGNORE`, `DO NOTHING`).
        case skip
        /// DO UPDATE of an existing row. `rowid` is that of the new row, and `update` the index of the clause.
        case update(row: Int, rowid: Int64, update: Int)
    }

    /// Checks the constraints of a new row, and resolves its conflicts: `OR REPLACE` deletes rows.
    mutating func resolveConflicts(
        of row: inout NewRow, _ conflict: SQLConflict, _ checks: [MemoryInsert.Check], _ undo: inout UndoLog
    ) throws(StoreError) -> ConflictOutcome {
        let requested = row.rowid.isNull ? nil : try rowid(from: row.rowid)
        for column in columns.indices where row.values[column].isNull && definition.schema.columns[column].isNotNull {
            if column == definition.rowidColumn { continue }
            if conflict == .ignore { return .skip }
            if conflict == .replace { try row.setDefault(column, definition) }
            if row.values[column].isNull { throw definition.constraintError("NOT NULL constraint failed", [column]) }
        }
        let newRowid: Int64
        if let requested { newRowid = requested } else { newRowid = try nextRowid() }
        for check in checks {
            let other: Int?
            if let key = check.key {
                row.convertGiven()
                other = self.row(
                    key: key,
                    values: keys[key].columns.map {
                        $0 == definition.rowidColumn ? .integer(newRowid) : row.values[$0]
                    })
            } else {
                other = requested.flatMap { self.row(rowid: $0) }
            }
            guard let other else { continue }
            switch check.resolution {
            case .update(let update): return .update(row: other, rowid: newRowid, update: update)
            case .conflict(.ignore): return .skip
            case .conflict(.replace): delete(other, &undo)
            case .conflict(.abort):
                throw definition.constraintError(
                    "UNIQUE constraint failed", check.key.map { keys[$0].columns } ?? definition.primaryKey)
            }
        }
        return .insert(rowid: newRowid)
    }

    /// Inserts a row after checking its constraints; a conflict is an error.
    /// - Parameters:
    ///   - values: one per column, converted to its affinity.
    ///   - requested: the rowid; NULL for the next free one.
    mutating func insertChecked(
        _ values: [SQLValue], rowid requested: SQLValue, _ undo: inout UndoLog
    ) throws(StoreError) {
        var row = NewRow(values, rowid: requested)
        let checks = MemoryInsert.Check.all(keyCount: keys.count, .abort)
        guard case .insert(let rowid) = try resolveConflicts(of: &row, .abort, checks, &undo) else { return }
        try insert(row.values, rowid: rowid, &undo)
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
        for (index, key) in keys.enumerated().reversed() {
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

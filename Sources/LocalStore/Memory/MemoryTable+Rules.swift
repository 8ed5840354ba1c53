extension MemoryTable {
    /// Inserts a row if it breaks no rule, or does with the conflict what it should.
    /// - Parameters:
    ///   - values: one for each column, as the column keeps it.
    ///   - wanted: the rowid; NULL for the next one.
    /// - Returns: false when the row was left out.
    mutating func insert(
        _ values: inout [SQLValue], rowid wanted: SQLValue, _ conflict: SQLConflict, _ undo: inout UndoLog
    ) throws(StoreError) -> Bool {
        let rowid = wanted.isNull ? nil : try rowid(from: wanted)
        for column in columns.indices where values[column].isNull && definition.schema.columns[column].isNotNull {
            if column == definition.rowidColumn { continue }
            if conflict == .ignore { return false }
            if conflict == .replace { values[column] = try definition.defaultValue(column) }
            if values[column].isNull {
                throw definition.brokenRule("NOT NULL constraint failed", [column])
            }
        }
        let place: Int64
        if let rowid { place = rowid } else { place = try nextRowid() }
        if rowid != nil, let row = row(rowid: place) {
            switch conflict {
            case .abort: throw definition.brokenRule("UNIQUE constraint failed", definition.primaryKey)
            case .ignore: return false
            case .replace: delete(row, &undo)
            }
        }
        for key in keys.indices {
            let keyValues = keys[key].columns.map { $0 == definition.rowidColumn ? .integer(place) : values[$0] }
            guard let row = row(key: key, values: keyValues) else { continue }
            switch conflict {
            case .abort: throw definition.brokenRule("UNIQUE constraint failed", keys[key].columns)
            case .ignore: return false
            case .replace: delete(row, &undo)
            }
        }
        try insert(values, rowid: place, &undo)
        return true
    }

    /// The rowid that a value stands for.
    func rowid(from value: SQLValue) throws(StoreError) -> Int64 {
        guard case .integer(let rowid) = ColumnAffinity.integer.stored(value) else {
            throw definition.brokenRule(
                "datatype mismatch: the key must be an integer", definition.rowidColumn.map { [$0] } ?? [])
        }
        return rowid
    }

    /// Sees whether a row may be changed.
    func check(
        _ row: Int, _ changes: [(column: Int, value: SQLValue)], rowid: Int64
    ) throws(StoreError) {
        for change in changes where change.value.isNull && definition.schema.columns[change.column].isNotNull {
            throw definition.brokenRule("NOT NULL constraint failed", [change.column])
        }
        if rowid != self.rowid(row: row), self.row(rowid: rowid) != nil {
            throw definition.brokenRule("UNIQUE constraint failed", definition.primaryKey)
        }
        for (index, key) in keys.enumerated() {
            let values = key.columns.map { column in
                column == definition.rowidColumn
                    ? .integer(rowid)
                    : changes.last { $0.column == column }?.value ?? value(row: row, column: column)
            }
            if let other = self.row(key: index, values: values), other != row {
                throw definition.brokenRule("UNIQUE constraint failed", key.columns)
            }
        }
    }
}

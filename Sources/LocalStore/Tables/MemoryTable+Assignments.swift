import StoreCore

extension MemoryTable {
    /// Updates a row by assignments whose expressions refer to its own columns.
    mutating func change(
        _ row: Int, _ assignments: [MemoryUpdate.Assignment], _ evaluator: SQLEvaluator, _ undo: inout UndoLog
    ) throws(StoreError) {
        try change(row, assignments, try Self.values(of: assignments, evaluator, in: self, at: row), &undo)
    }

    /// Updates a row by assignments whose expressions refer to `source`.
    mutating func change(
        _ row: Int, _ assignments: [MemoryUpdate.Assignment], from source: SQLRowValues, _ evaluator: SQLEvaluator,
        _ undo: inout UndoLog
    ) throws(StoreError) {
        try change(row, assignments, try Self.values(of: assignments, evaluator, in: source, at: 0), &undo)
    }

    /// Detached: a slice that still refers to the arena would make the write copy the whole arena.
    private static func values(
        of assignments: [MemoryUpdate.Assignment], _ evaluator: SQLEvaluator, in source: borrowing some SQLSource,
        at row: Int
    ) throws(StoreError) -> [SQLValue] {
        var values: [SQLValue] = []
        for assignment in assignments {
            values.append(try evaluator.value(assignment.value, in: source, at: row).detached)
        }
        return values
    }

    private mutating func change(
        _ row: Int, _ assignments: [MemoryUpdate.Assignment], _ values: [SQLValue], _ undo: inout UndoLog
    ) throws(StoreError) {
        var changes: [(column: Int, value: SQLValue)] = []
        var newRowid = rowid(row: row)
        for (assignment, value) in zip(assignments, values) {
            if let column = assignment.column, column != definition.rowidColumn {
                changes.append((column, definition.affinities[column].stored(value)))
            } else {
                newRowid = try rowid(from: value)
            }
        }
        try check(row, changes, rowid: newRowid)
        try update(row, changes, rowid: newRowid, &undo)
    }
}

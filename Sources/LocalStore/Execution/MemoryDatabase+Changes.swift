import StoreCore

extension MemoryDatabase {
    // MARK: INSERT

    mutating func insert(_ insert: MemoryInsert, _ parameters: [SQLValue]) throws(StoreError) -> Outcome {
        var evaluator = evaluator(parameters)
        var changed = ChangedRows(insert.returning)
        switch insert.source {
        case .defaults: try self.insert([], insert, evaluator, &changed)
        case .rows(let rows):
            for (index, row) in rows.enumerated() {
                // As in SQLite, each row sees the rowid of the one before it.
                evaluator.session.lastInsertRowid = undo.lastInsertedRowid
                var values: [SQLValue] = []
                for expression in row { values.append(try evaluator.value(expression, in: NoRows(), at: 0)) }
                try self.insert(values, insert, evaluator, &changed)
                try interruption.check(afterExpensiveRow: index)
            }
        case .select(let select):
            let resultSet = try execute(select, parameters)
            for row in 0..<resultSet.rowCount {
                try self.insert(resultSet.values(row: row), insert, evaluator, &changed)
                try interruption.check(afterExpensiveRow: row)
            }
        }
        return changed.outcome
    }

    private mutating func insert(
        _ given: [SQLValue], _ insert: MemoryInsert, _ evaluator: SQLEvaluator, _ changed: inout ChangedRows
    ) throws(StoreError) {
        try withTable(insert.table) { table, undo throws(StoreError) in
            var row = try NewRow(given, insert, table.definition)
            switch try table.resolveConflicts(of: &row, insert.conflict, insert.checks, &undo) {
            case .skip: break
            case .insert(let rowid):
                let place = try table.insert(row.values, rowid: rowid, &undo)
                try changed.add(table, place, evaluator, undo)
            case .update(let existing, let rowid, let index):
                let update = insert.updates[index]
                let source = row.source(besides: table, existing, rowid: rowid)
                if let condition = update.condition, try !evaluator.holds(condition, in: source, at: 0) { return }
                try table.change(existing, update.assignments, from: source, evaluator, &undo)
                try changed.add(table, existing, evaluator, undo)
            }
        }
    }

    // MARK: UPDATE

    mutating func update(_ update: MemoryUpdate, _ parameters: [SQLValue]) throws(StoreError) -> Outcome {
        let evaluator = evaluator(parameters)
        var changed = ChangedRows(update.returning)
        let rows = try withBorrowedTable(update.table) { table throws(StoreError) in
            try Self.rows(update.condition, evaluator, in: table)
        }
        let interruption = interruption
        try withTable(update.table) { table, undo throws(StoreError) in
            for (index, row) in rows.enumerated() {
                try table.change(Int(row), update.assignments, evaluator, &undo)
                try changed.add(table, Int(row), evaluator, undo)
                try interruption.check(afterExpensiveRow: index)
            }
        }
        return changed.outcome
    }

    // MARK: DELETE

    mutating func delete(_ delete: MemoryDelete, _ parameters: [SQLValue]) throws(StoreError) -> Outcome {
        let evaluator = evaluator(parameters)
        var changed = ChangedRows(delete.returning)
        let rows = try withBorrowedTable(delete.table) { table throws(StoreError) in
            try Self.rows(delete.condition, evaluator, in: table)
        }
        let interruption = interruption
        try withTable(delete.table) { table, undo throws(StoreError) in
            for (index, row) in rows.enumerated() {
                try changed.add(table, Int(row), evaluator, undo)
                table.delete(Int(row), &undo)
                try interruption.check(afterExpensiveRow: index)
            }
        }
        return changed.outcome
    }

    /// An evaluator for a statement that begins now.
    func evaluator(_ parameters: [SQLValue]) -> SQLEvaluator {
        SQLEvaluator(parameters: parameters, interruption, session: session, lists: lists)
    }
}

extension SQLValue {
    /// A copy of the value that owns its bytes.
    var detached: SQLValue {
        switch self {
        case .text(let bytes): .text(ArraySlice(Array(bytes)))
        case .blob(let bytes): .blob(ArraySlice(Array(bytes)))
        default: self
        }
    }
}

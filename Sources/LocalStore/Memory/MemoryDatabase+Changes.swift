extension MemoryDatabase {
    // MARK: INSERT

    /// - Returns: number of rows inserted.
    mutating func insert(_ insert: MemoryInsert, _ parameters: [SQLValue]) throws(StoreError) -> Int {
        let evaluator = SQLEvaluator(parameters: parameters)
        var count = 0
        switch insert.source {
        case .defaults: count += try self.insert([], insert) ? 1 : 0
        case .rows(let rows):
            for row in rows {
                var values: [SQLValue] = []
                for expression in row { values.append(try evaluator.value(expression, in: NoRows(), at: 0)) }
                count += try self.insert(values, insert) ? 1 : 0
            }
        case .select(let select):
            let resultSet = try execute(select, parameters)
            for row in 0..<resultSet.rowCount { count += try self.insert(resultSet.values(row: row), insert) ? 1 : 0 }
        }
        return count
    }

    private mutating func insert(_ given: [SQLValue], _ insert: MemoryInsert) throws(StoreError) -> Bool {
        try withTable(insert.table) { table, undo throws(StoreError) in
            let definition = table.definition
            var values: [SQLValue] = []
            var rowid: SQLValue = .null
            for column in table.columns.indices { values.append(try definition.defaultValue(column)) }
            if let column = definition.rowidColumn { values[column] = .null }
            for (column, value) in zip(insert.columns, given) {
                if let column, column != definition.rowidColumn {
                    values[column] = definition.affinities[column].stored(value)
                } else {
                    rowid = value
                }
            }
            return try table.insert(&values, rowid: rowid, insert.conflict, &undo)
        }
    }

    // MARK: UPDATE

    /// - Returns: number of rows updated.
    mutating func update(_ update: MemoryUpdate, _ parameters: [SQLValue]) throws(StoreError) -> Int {
        let evaluator = SQLEvaluator(parameters: parameters)
        let rows = try withBorrowedTable(update.table) { table throws(StoreError) in
            try Self.rows(update.condition, evaluator, in: table)
        }
        try withTable(update.table) { table, undo throws(StoreError) in
            for row in rows {
                var changes: [(column: Int, value: SQLValue)] = []
                var rowid = table.rowid(row: Int(row))
                for assignment in update.assignments {
                    // Detached: a slice that still refers to the arena would make the write below copy the whole arena.
                    let value = try evaluator.value(assignment.value, in: table, at: Int(row)).detached
                    if let column = assignment.column, column != table.definition.rowidColumn {
                        changes.append((column, table.definition.affinities[column].stored(value)))
                    } else {
                        rowid = try table.rowid(from: value)
                    }
                }
                try table.check(Int(row), changes, rowid: rowid)
                try table.update(Int(row), changes, rowid: rowid, &undo)
            }
        }
        return rows.count
    }

    // MARK: DELETE

    /// - Returns: number of rows deleted.
    mutating func delete(
        from slot: Int, _ condition: MemoryCondition, _ parameters: [SQLValue]
    ) throws(StoreError) -> Int {
        let rows = try withBorrowedTable(slot) { table throws(StoreError) in
            try Self.rows(condition, SQLEvaluator(parameters: parameters), in: table)
        }
        try withTable(slot) { table, undo throws(StoreError) in
            for row in rows { table.delete(Int(row), &undo) }
        }
        return rows.count
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

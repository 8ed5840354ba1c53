import StoreCore

extension MemoryPlanner {
    private func writableTable(_ name: String) throws(StoreError) -> MemoryTable {
        let name = SQLIdentifier(name)
        guard !Self.catalogNames.contains(name) else {
            throw StoreError(.readOnly, "table \(name.text) may not be modified")
        }
        return try database.table(try database.slot(name))
    }

    func plan(_ insert: SQLInsert) throws(StoreError) -> MemoryInsert {
        let table = try writableTable(insert.table)
        var columns: [Int?] = Array(table.columns.indices)
        if let names = insert.columns {
            columns = []
            for name in names { columns.append(try target(name, table)) }
            // SQLite silently takes the first of two values for a column; that is refused as a likely mistake.
            guard Set(columns).count == columns.count else {
                throw .unsupportedSQL("duplicate column in INSERT", at: names.first?.offset ?? 0)
            }
        }
        if case .defaults = insert.source { columns = [] }
        let (checks, updates) = try conflictChecks(of: insert, columns, table)
        return MemoryInsert(
            table: table.slot, columns: columns, source: try source(of: insert, columns), conflict: insert.conflict,
            checks: checks, updates: updates, returning: try returning(insert.returning, table))
    }

    private func source(of insert: SQLInsert, _ columns: [Int?]) throws(StoreError) -> MemoryInsert.Source {
        func check(_ count: Int) throws(StoreError) {
            guard count == columns.count else {
                throw StoreError(
                    .syntax, "\(count) values for \(columns.count) columns of table \(insert.table)")
            }
        }
        switch insert.source {
        case .defaults: return .defaults
        case .select(let select):
            let plan = try plan(select)
            // SQLite evaluates it row by row, between the insertions, or before them.
            if plan.usesSession, select.table != nil {
                throw .unsupportedSQL("last_insert_rowid() or changes() in INSERT ... SELECT from a table", at: 0)
            }
            try check(plan.outputs.count)
            return .select(plan)
        case .rows(let rows):
            var binder = SQLBinder(SQLScope())
            var bound: [[BoundExpression]] = []
            for row in rows {
                try check(row.count)
                bound.append(try binder.bind(row))
            }
            return .rows(bound)
        }
    }

    func plan(_ update: SQLUpdate) throws(StoreError) -> MemoryUpdate {
        let table = try writableTable(update.table)
        var binder = SQLBinder(table.definition.scope)
        let assignments = try assignments(update.assignments, table, &binder)
        return MemoryUpdate(
            table: table.slot, assignments: assignments, condition: try condition(update.condition, &binder, table),
            returning: try returning(update.returning, table))
    }

    func assignments(
        _ assignments: [SQLUpdate.Assignment], _ table: MemoryTable, _ binder: inout SQLBinder
    ) throws(StoreError) -> [MemoryUpdate.Assignment] {
        try MemoryTableDefinition.checkColumnCount(assignments.count, "columns in set list")
        var planned: [MemoryUpdate.Assignment] = []
        for assignment in assignments {
            let column = try target(assignment.column, table)
            // As in SQLite, the last of two assignments to a column wins.
            planned.removeAll { $0.column == column }
            planned.append(MemoryUpdate.Assignment(column: column, value: try binder.bind(assignment.value)))
        }
        return planned
    }

    func plan(_ delete: SQLDelete) throws(StoreError) -> MemoryDelete {
        let table = try writableTable(delete.table)
        var binder = SQLBinder(table.definition.scope)
        return MemoryDelete(
            table: table.slot, condition: try condition(delete.condition, &binder, table),
            returning: try returning(delete.returning, table))
    }

    private func condition(
        _ condition: SQLExpression?, _ binder: inout SQLBinder, _ table: MemoryTable
    ) throws(StoreError) -> MemoryCondition {
        MemoryCondition(MemoryCondition.conjuncts(of: try constant(condition, &binder)), table: table)
    }

    /// As in SQLite, an alias of the table is not known in RETURNING.
    private func returning(
        _ columns: [SQLSelect.Column], _ table: MemoryTable
    ) throws(StoreError) -> MemoryReturning? {
        guard !columns.isEmpty else { return nil }
        let (expressions, names) = try outputs(of: columns, table.definition.scope)
        var binder = SQLBinder(table.definition.scope)
        return MemoryReturning(names: names, outputs: try binder.bind(expressions))
    }

    /// The column to write; nil for the rowid.
    private func target(_ name: SQLName, _ table: MemoryTable) throws(StoreError) -> Int? {
        switch table.definition.scope.resolve(name) {
        case .column(let index): return index
        case .rowid: return table.definition.rowidColumn
        case .excluded, .unknown:
            throw .noSuchColumn(name.name, in: table.definition.name.text, at: name.offset)
        }
    }
}

/// Compiles syntax trees into plans for the current schema.
struct MemoryPlanner {
    let database: MemoryDatabase

    static let catalogNames: Set<SQLIdentifier> = ["sqlite_master", "sqlite_schema"]

    func plan(_ statement: SQLStatement) throws(StoreError) -> MemoryPlan {
        let kind: MemoryPlan.Kind
        switch statement.kind {
        case .select(let select): kind = .select(try plan(select))
        case .insert(let insert): kind = .insert(try plan(insert))
        case .update(let update): kind = .update(try plan(update))
        case .delete(let delete):
            let table = try writableTable(delete.table)
            var binder = SQLBinder(table.definition.scope)
            let condition = try condition(delete.condition, &binder, table)
            kind = .delete(table: table.slot, condition)
        case .createTable, .dropTable, .addColumn, .renameTable: kind = .definition(statement.kind)
        }
        return MemoryPlan(kind, parameterCount: statement.parameterCount, schemaVersion: database.schemaVersion)
    }

    // MARK: SELECT

    private func plan(_ select: SQLSelect) throws(StoreError) -> MemorySelect {
        var source = MemorySelect.Source.noTable
        var table: MemoryTable?
        var scope = SQLScope()
        if let name = select.table.map({ SQLIdentifier($0) }) {
            if Self.catalogNames.contains(name) {
                source = .catalog
                scope = MemoryCatalog.scope
                scope.table = name
            } else {
                let slot = try database.slot(name)
                source = .table(slot)
                table = try database.table(slot)
                scope = table?.definition.scope ?? SQLScope()
            }
            if let alias = select.tableAlias { scope.table = SQLIdentifier(alias) }
        }
        let (expressions, names) = try outputs(of: select, scope)
        scope.allowsAggregates = true
        var binder = SQLBinder(scope)
        let outputs = try binder.bind(expressions)
        for column in select.columns {
            if case .expression(let expression, _, let alias?) = column,
                scope.aliases[SQLIdentifier(alias)] == nil
            {
                scope.aliases[SQLIdentifier(alias)] = expression
            }
        }
        let order = try order(of: select, expressions, outputs, scope, &binder)
        if !binder.aggregates.isEmpty, let offset = binder.bareColumn {
            throw .unsupportedSQL("bare column beside an aggregate function", at: offset)
        }
        scope.allowsAggregates = false
        var filter = SQLBinder(scope)
        return MemorySelect(
            source: source, names: names, outputs: outputs,
            condition: try condition(select.condition, &filter, table), aggregates: binder.aggregates, order: order,
            limit: try constant(select.limit), offset: try constant(select.offset))
    }

    private func outputs(
        of select: SQLSelect, _ scope: SQLScope
    ) throws(StoreError) -> ([SQLExpression], [String]) {
        var expressions: [SQLExpression] = []
        var names: [String] = []
        for column in select.columns {
            switch column {
            case .all(let table, let offset):
                guard let own = scope.table else {
                    throw .syntax("no tables specified", at: offset)
                }
                guard table.map({ SQLIdentifier($0) == own }) ?? true else {
                    throw .noSuchTable(table ?? "", at: offset)
                }
                for column in scope.columns {
                    names.append(column.name.text)
                    expressions.append(
                        .column(SQLName(table: nil, name: column.name.text, quote: .bracket, offset: offset)))
                }
            case .expression(let expression, let name, let alias):
                expressions.append(expression)
                names.append(alias ?? columnName(expression, scope) ?? name)
            }
        }
        return (expressions, names)
    }

    /// The result name of a plain column, in its definition's spelling.
    private func columnName(_ expression: SQLExpression, _ scope: SQLScope) -> String? {
        guard case .column(let name) = expression else { return nil }
        switch scope.resolve(name) {
        case .column(let index): return scope.columns[index].name.text
        case .rowid: return scope.rowidColumn.map { scope.columns[$0].name.text } ?? "rowid"
        case .unknown: return nil
        }
    }

    private func order(
        of select: SQLSelect, _ expressions: [SQLExpression], _ outputs: [BoundExpression], _ scope: SQLScope,
        _ binder: inout SQLBinder
    ) throws(StoreError) -> [MemorySelect.OrderingTerm] {
        var order: [MemorySelect.OrderingTerm] = []
        // Aliases are resolved last within an expression, but first if they stand alone.
        var inner = scope
        inner.allowsAggregates = true
        for term in select.order {
            let bound: BoundExpression
            if let number = term.expression.smallInteger {
                guard outputs.indices.contains(number - 1) else {
                    throw .syntax(
                        "ORDER BY term out of range: \(number) is not between 1 and \(outputs.count)", at: term.offset)
                }
                bound = outputs[number - 1]
            } else if case .column(let name) = term.expression, name.table == nil,
                let aliased = scope.aliases[SQLIdentifier(name.name)]
            {
                bound = try binder.bind(aliased)
            } else {
                var own = SQLBinder(inner)
                bound = try own.bind(term.expression)
                if !own.aggregates.isEmpty || !binder.aggregates.isEmpty {
                    // An aggregate query has one row, so the term is checked and dropped.
                    if own.bareColumn != nil {
                        throw .unsupportedSQL("bare column beside an aggregate function", at: term.offset)
                    }
                    if binder.aggregates.isEmpty {
                        throw .unsupportedSQL("aggregate function only in ORDER BY", at: term.offset)
                    }
                    continue
                }
            }
            order.append(
                MemorySelect.OrderingTerm(
                    expression: bound, isDescending: term.isDescending, isNullsFirst: term.isNullsFirst))
        }
        return binder.aggregates.isEmpty ? order : []
    }

    private func condition(
        _ condition: SQLExpression?, _ binder: inout SQLBinder, _ table: MemoryTable?
    ) throws(StoreError) -> MemoryCondition {
        guard let condition else { return .none }
        return MemoryCondition(try binder.bind(condition), table: table)
    }

    private func constant(_ expression: SQLExpression?) throws(StoreError) -> BoundExpression? {
        guard let expression else { return nil }
        var binder = SQLBinder(SQLScope())
        return try binder.bind(expression)
    }

    // MARK: Changes

    private func writableTable(_ name: String) throws(StoreError) -> MemoryTable {
        let name = SQLIdentifier(name)
        guard !Self.catalogNames.contains(name) else {
            throw StoreError(.readOnly, "table \(name.text) may not be modified")
        }
        return try database.table(try database.slot(name))
    }

    private func plan(_ insert: SQLInsert) throws(StoreError) -> MemoryInsert {
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
        func check(_ count: Int) throws(StoreError) {
            guard count == columns.count else {
                throw StoreError(
                    .syntax, "\(count) values for \(columns.count) columns of table \(insert.table)")
            }
        }
        let source: MemoryInsert.Source
        switch insert.source {
        case .defaults:
            columns = []
            source = .defaults
        case .select(let select):
            let plan = try plan(select)
            try check(plan.outputs.count)
            source = .select(plan)
        case .rows(let rows):
            var binder = SQLBinder(SQLScope())
            var bound: [[BoundExpression]] = []
            for row in rows {
                try check(row.count)
                bound.append(try binder.bind(row))
            }
            source = .rows(bound)
        }
        return MemoryInsert(table: table.slot, columns: columns, source: source, conflict: insert.conflict)
    }

    private func plan(_ update: SQLUpdate) throws(StoreError) -> MemoryUpdate {
        let table = try writableTable(update.table)
        var binder = SQLBinder(table.definition.scope)
        var assignments: [MemoryUpdate.Assignment] = []
        for assignment in update.assignments {
            let column = try target(assignment.column, table)
            // As in SQLite, the last of two assignments to a column wins.
            assignments.removeAll { $0.column == column }
            assignments.append(
                MemoryUpdate.Assignment(column: column, value: try binder.bind(assignment.value)))
        }
        return MemoryUpdate(
            table: table.slot, assignments: assignments, condition: try condition(update.condition, &binder, table))
    }

    /// The column to write; nil for the rowid.
    private func target(_ name: SQLName, _ table: MemoryTable) throws(StoreError) -> Int? {
        switch table.definition.scope.resolve(name) {
        case .column(let index): return index
        case .rowid: return table.definition.rowidColumn
        case .unknown:
            throw .noSuchColumn(name.name, in: table.definition.name.text, at: name.offset)
        }
    }
}

import StoreCore

extension MemoryPlanner {
    func plan(_ select: SQLSelect) throws(StoreError) -> MemorySelect {
        // In SQLite's order, since the first mistake is the error: FROM, LIMIT, result columns, HAVING, WHERE, ORDER
        // BY, GROUP BY.
        let (source, table, tableScope) = try source(of: select)
        let (expressions, names) = try outputs(of: select.columns, tableScope)
        var limits = SQLBinder(SQLScope())
        let limit = try constant(select.limit, &limits)
        let offset = try constant(select.offset, &limits)
        var binder = SQLBinder(tableScope)
        binder.scope.allowsAggregates = true
        let outputs = try binder.bind(expressions)
        let isAggregate = !binder.aggregates.isEmpty || !select.grouping.isEmpty
        binder.scope.aliases = aliases(of: select)
        try checkHaving(select.having, isAggregate, binder)
        var filter = SQLBinder(binder.scope)
        filter.scope.allowsAggregates = false
        var conditions = MemoryCondition.conjuncts(of: try constant(select.condition, &filter))
        var order = try order(of: select, outputs, &binder)
        var aggregation: MemoryAggregation?
        if isAggregate {
            let planned = try self.aggregation(of: select, expressions, outputs, order, &filter, &binder)
            conditions += planned.conditions
            aggregation = planned.aggregation
            // A single group needs no sort.
            if select.grouping.isEmpty { order = [] }
        } else if !binder.aggregates.isEmpty {
            throw .syntax("misuse of an aggregate function in ORDER BY", at: select.order.first?.offset ?? 0)
        }
        try checkDistinctOrder(select, order, isAggregate)
        // The rows are in the order of the rowid already. It is unique, so terms after it have no effect.
        if !isAggregate, let first = order.first, case .rowid = first.expression, !first.isDescending { order = [] }
        return MemorySelect(
            source: source, names: names, outputs: outputs, condition: MemoryCondition(conditions, table: table),
            isDistinct: select.isDistinct, aggregation: aggregation, order: order, limit: limit, offset: offset,
            usesSession: binder.usesSession || filter.usesSession || limits.usesSession)
    }

    /// Finds mistakes in HAVING. It is bound for the plan later: SQLite numbers the aggregates of the result columns
    /// first, then those of ORDER BY and HAVING, and the last `min` or `max` decides about bare columns.
    private func checkHaving(
        _ having: SQLSelect.GroupingTerm?, _ isAggregate: Bool, _ binder: SQLBinder
    ) throws(StoreError) {
        guard let having else { return }
        guard isAggregate else { throw .syntax("HAVING clause on a non-aggregate query", at: having.offset) }
        var binder = binder
        _ = try binder.bind(having.expression)
    }

    private func source(
        of select: SQLSelect
    ) throws(StoreError) -> (MemorySelect.Source, MemoryTable?, SQLScope) {
        guard let name = select.table.map({ SQLIdentifier($0) }) else { return (.noTable, nil, SQLScope()) }
        var source = MemorySelect.Source.catalog
        var table: MemoryTable?
        var scope = MemoryCatalog.scope
        if Self.catalogNames.contains(name) {
            scope.table = name
        } else {
            let slot = try database.slot(name)
            let named = try database.table(slot)
            source = .table(slot)
            scope = named.definition.scope
            table = named
        }
        if let alias = select.tableAlias { scope.table = SQLIdentifier(alias) }
        return (source, table, scope)
    }

    /// The aliases of the result columns; of equal ones the first.
    private func aliases(of select: SQLSelect) -> [SQLIdentifier: SQLExpression] {
        var aliases: [SQLIdentifier: SQLExpression] = [:]
        for column in select.columns {
            guard case .expression(let expression, _, let alias?) = column else { continue }
            let name = SQLIdentifier(alias)
            if aliases[name] == nil { aliases[name] = expression }
        }
        return aliases
    }

    private func order(
        of select: SQLSelect, _ outputs: [BoundExpression], _ binder: inout SQLBinder
    ) throws(StoreError) -> [MemorySelect.OrderingTerm] {
        try MemoryTableDefinition.checkColumnCount(select.order.count, "terms in ORDER BY clause")
        var order: [MemorySelect.OrderingTerm] = []
        var outOfRange: StoreError?
        for term in select.order {
            let bound: BoundExpression
            if let number = term.expression.smallInteger {
                guard outputs.indices.contains(number - 1) else {
                    try Self.refuse(number, of: outputs.count, in: "ORDER BY", at: term.offset, &outOfRange)
                    continue
                }
                bound = outputs[number - 1]
            } else if case .column(let name) = term.expression, name.table == nil,
                let aliased = binder.scope.aliases[SQLIdentifier(name.name)]
            {
                // Aliases are resolved last within an expression, but first if they stand alone.
                bound = try binder.bind(aliased)
            } else {
                bound = try binder.bind(term.expression)
            }
            order.append(
                MemorySelect.OrderingTerm(
                    expression: bound, isDescending: term.isDescending, isNullsFirst: term.isNullsFirst))
        }
        if let outOfRange { throw outOfRange }
        return order
    }

    /// Refuses the number of a result column that does not exist. A number that is too large, but has 16 bits, is the
    /// error only if no other term has a mistake: SQLite looks at these numbers last.
    /// - Parameter last: the error to throw then.
    static func refuse(
        _ number: Int, of count: Int, in clause: String, at offset: Int, _ last: inout StoreError?
    ) throws(StoreError) {
        let error = StoreError.syntax(
            "\(clause) term out of range: \(number) is not between 1 and \(count)", at: offset)
        guard 1...Int(UInt16.max) ~= number else { throw error }
        last = last ?? error
    }

    /// Refuses DISTINCT where the order in which SQLite visits the rows depends on its query planner.
    private func checkDistinctOrder(
        _ select: SQLSelect, _ order: [MemorySelect.OrderingTerm], _ isAggregate: Bool
    ) throws(StoreError) {
        guard select.isDistinct, !isAggregate else { return }
        for (index, term) in order.enumerated().dropFirst() where term.isDescending {
            guard case .rowid = term.expression else { continue }
            throw .unsupportedSQL("DISTINCT with a descending rowid within ORDER BY", at: select.order[index].offset)
        }
    }
}

import StoreCore

extension MemoryPlanner {
    /// Plans GROUP BY and HAVING.
    /// - Parameters:
    ///   - filter: binds terms of GROUP BY.
    ///   - binder: bound the result columns and ORDER BY, and binds HAVING.
    /// - Returns: the aggregation, and conditions on single rows; see ``split(_:_:)``.
    func aggregation(
        of select: SQLSelect, _ expressions: [SQLExpression], _ outputs: [BoundExpression],
        _ order: [MemorySelect.OrderingTerm], _ filter: inout SQLBinder, _ binder: inout SQLBinder
    ) throws(StoreError) -> (aggregation: MemoryAggregation, conditions: [BoundExpression]) {
        let keys = try keys(of: select, expressions, outputs, &filter)
        let condition = try constant(select.having?.expression, &binder)
        let having = Self.split(MemoryCondition.conjuncts(of: condition), keys)
        // SQLite sorts groups in the directions of ORDER BY if both have the same number of terms, also if the terms
        // differ.
        let isSameCount = order.count == keys.count
        let aggregation = MemoryAggregation(
            aggregates: binder.aggregates, keys: keys,
            isDescending: keys.indices.map { isSameCount && order[$0].isDescending },
            having: having.groups.isEmpty ? nil : .and(having.groups), hasBareColumns: binder.hasBareColumn)
        return (aggregation, having.rows)
    }

    private func keys(
        of select: SQLSelect, _ expressions: [SQLExpression], _ outputs: [BoundExpression], _ filter: inout SQLBinder
    ) throws(StoreError) -> [BoundExpression] {
        try MemoryTableDefinition.checkColumnCount(select.grouping.count, "terms in GROUP BY clause")
        var keys: [BoundExpression] = []
        var outOfRange: StoreError?
        filter.scope.allowsAggregates = true
        for term in select.grouping {
            var expression = term.expression
            if let number = expression.smallInteger {
                guard outputs.indices.contains(number - 1) else {
                    try Self.refuse(number, of: outputs.count, in: "GROUP BY", at: term.offset, &outOfRange)
                    continue
                }
                expression = expressions[number - 1]
                keys.append(outputs[number - 1])
            } else {
                keys.append(try filter.bind(expression))
            }
            // Whether HAVING matches such a term, see below, depends on the sign. A bound expression does not have it.
            if select.having != nil, expression.hasUnaryPlus {
                throw .unsupportedSQL("unary plus in GROUP BY beside HAVING", at: term.offset)
            }
        }
        if let outOfRange { throw outOfRange }
        guard !keys.contains(where: \.hasAggregate) else {
            throw .syntax(
                "aggregate functions are not allowed in the GROUP BY clause", at: select.grouping.first?.offset ?? 0)
        }
        return keys
    }

    /// Splits the conjuncts of HAVING into conditions on groups and on single rows.
    ///
    /// As SQLite does, a conjunct of GROUP BY terms and constants filters the rows before they are grouped. That makes
    /// a difference where equal values differ, such as 1 and 1.0.
    private static func split(
        _ conjuncts: [BoundExpression], _ keys: [BoundExpression]
    ) -> (groups: [BoundExpression], rows: [BoundExpression]) {
        guard !keys.isEmpty else { return (conjuncts, []) }
        func isOfRow(_ conjunct: BoundExpression) -> Bool {
            conjunct.isComposed { part in
                switch part {
                case .value, .parameter: true
                default: keys.contains(part)
                }
            }
        }
        return (conjuncts.filter { !isOfRow($0) }, conjuncts.filter(isOfRow))
    }
}

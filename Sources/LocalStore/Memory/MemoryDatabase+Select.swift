extension MemoryDatabase {
    mutating func answer(_ select: MemorySelect, _ parameters: [SQLValue]) throws(StoreError) -> MemoryAnswer {
        let evaluator = SQLEvaluator(parameters: parameters)
        let reader = try MemoryReader(select, evaluator)
        // Nothing is computed that nobody wants, errors included.
        if reader.isEmpty { return MemoryAnswer(names: select.names) }
        switch select.source {
        case .nothing:
            let isWanted = try MemoryFilter.isTrue(select.condition, evaluator)
            return try reader.answer(NoRows(), rows: isWanted ? [0] : [])
        case .catalog:
            let catalog = try MemoryCatalog.table(of: self)
            return try reader.answer(catalog, rows: try Self.rows(select.condition, evaluator, in: catalog))
        case .table(let slot):
            return try reading(slot) { table throws(StoreError) in
                let rows = try Self.rows(select.condition, evaluator, in: table, limit: reader.wantedRows)
                return try reader.answer(table, rows: rows)
            }
        }
    }

    /// The shortest way, for the statement that is run most often: one row by its key.
    mutating func answer(
        _ select: MemorySelect, _ point: MemorySelect.Point, _ value: StoreValue
    ) throws(StoreError) -> MemoryAnswer {
        var answer = MemoryAnswer(names: select.names)
        answer.exchange(&room)
        try copyRow(point, value, select.columns, to: &answer)
        return answer
    }

    /// The rows that a WHERE wants, in the order of the rowids.
    /// - Parameter limit: how many are wanted at most.
    static func rows(
        _ condition: MemoryCondition, _ evaluator: SQLEvaluator, in table: borrowing MemoryTable, limit: Int = .max
    ) throws(StoreError) -> [Int32] {
        guard let lookup = condition.lookup else {
            let filter = try MemoryFilter(condition.terms, evaluator, for: table.definition)
            return try filter.rows(of: table, limit: limit)
        }
        guard limit > 0, let row = try row(lookup, evaluator, in: table) else { return [] }
        if !condition.terms.isEmpty {
            let filter = try MemoryFilter(condition.terms, evaluator, for: table.definition)
            guard try filter.accepts(row, of: table) else { return [] }
        }
        return [Int32(truncatingIfNeeded: row)]
    }

    private static func row(
        _ lookup: MemoryCondition.Lookup, _ evaluator: SQLEvaluator, in table: borrowing MemoryTable
    ) throws(StoreError) -> Int? {
        switch lookup {
        case .rowid(let expression):
            let value = ColumnAffinity.integer.compared(try evaluator.value(expression, in: NoRows(), at: 0))
            switch value {
            case .integer(let rowid): return table.row(rowid: rowid)
            case .real(let real): return Int64(exactly: real).flatMap { table.row(rowid: $0) }
            default: return nil
            }
        case .key(let key, let expressions, let affinities):
            var values: [SQLValue] = []
            for (expression, affinity) in zip(expressions, affinities) {
                values.append(affinity.compared(try evaluator.value(expression, in: NoRows(), at: 0)))
            }
            return table.row(key: key, values: values)
        }
    }
}

extension MemoryFilter {
    /// What a WHERE without a table comes to.
    static func isTrue(_ condition: MemoryCondition, _ evaluator: SQLEvaluator) throws(StoreError) -> Bool {
        for term in condition.terms where try !evaluator.holds(term, in: NoRows(), at: 0) { return false }
        return true
    }
}

import StoreCore

extension MemoryDatabase {
    mutating func execute(_ select: MemorySelect, _ parameters: [SQLValue]) throws(StoreError) -> ResultSet {
        let evaluator = evaluator(parameters)
        let executor = try SelectExecutor(select, evaluator)
        // LIMIT 0 computes nothing, and so throws no errors.
        if executor.isEmpty { return ResultSet(names: select.names) }
        switch select.source {
        case .noTable:
            let isTrue = try MemoryFilter.isTrue(select.condition, evaluator)
            return try executor.resultSet(from: NoRows(), rows: isTrue ? [0] : [])
        case .catalog:
            let catalog = try MemoryCatalog.table(of: self)
            return try executor.resultSet(from: catalog, rows: try Self.rows(select.condition, evaluator, in: catalog))
        case .table(let slot):
            return try withBorrowedTable(slot) { table throws(StoreError) in
                let rows = try Self.rows(select.condition, evaluator, in: table, limit: executor.inputLimit)
                return try executor.resultSet(from: table, rows: rows)
            }
        }
    }

    /// The fast path of point lookups, the most frequent statement: one row by its key, without the planner's general
    /// steps.
    mutating func execute(
        _ select: MemorySelect, _ point: MemorySelect.PointLookup, _ value: StoreValue
    ) throws(StoreError) -> ResultSet {
        var resultSet = ResultSet(names: select.names)
        resultSet.swapBuffers(&resultBuffers)
        try copyRow(point, value, select.columns, to: &resultSet)
        return resultSet
    }

    /// The rows that satisfy a WHERE clause, in rowid order.
    /// - Parameter limit: maximum number of rows.
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
    /// Evaluates the WHERE clause of a SELECT without a table.
    static func isTrue(_ condition: MemoryCondition, _ evaluator: SQLEvaluator) throws(StoreError) -> Bool {
        for term in condition.terms where try !evaluator.holds(term, in: NoRows(), at: 0) { return false }
        return true
    }
}

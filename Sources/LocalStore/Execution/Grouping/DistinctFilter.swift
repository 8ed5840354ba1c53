import StoreCore

/// Executes SELECT DISTINCT: of rows with equal results, it keeps the first one.
struct DistinctFilter {
    private let select: MemorySelect
    private let evaluator: SQLEvaluator

    init(_ select: MemorySelect, _ evaluator: SQLEvaluator) {
        self.select = select
        self.evaluator = evaluator
    }

    /// - Parameter limit: number of rows to return at most.
    func rows(
        _ rows: [Int32], of table: borrowing MemoryTable, limit: Int
    ) throws(StoreError) -> [Int32] {
        if select.hasOnlyColumns {
            return try ColumnSnapshot(table, select.columns).withCells { cells throws(StoreError) in
                let cells = Array(cells)
                var grouper = ColumnGrouper(table.seed, keyCount: cells.count)
                for block in RowBlocks(rows, of: table) {
                    if block.positions.lowerBound > 0 { try evaluator.interruption.checkAfterBlock() }
                    grouper.add(block, rows, of: table, select.columns, cells)
                    if grouper.groupCount >= limit { break }
                }
                return Array(grouper.firstRows.prefix(limit))
            }
        }
        var seen = DistinctRows(table.seed)
        var kept: [Int32] = []
        for (index, row) in rows.enumerated() where kept.count < limit {
            var values: [SQLValue] = []
            for output in select.outputs { values.append(try evaluator.value(output, in: table, at: Int(row))) }
            if seen.insert(values) { kept.append(row) }
            try evaluator.interruption.check(afterExpensiveRow: index)
        }
        return kept
    }
}

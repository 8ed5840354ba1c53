import StoreCore

/// Executes a SELECT on the rows that its WHERE selected: DISTINCT, ORDER BY, LIMIT and result columns. Aggregation is
/// the work of ``GroupExecutor``.
struct SelectExecutor {
    private let select: MemorySelect
    private let evaluator: SQLEvaluator
    private let window: ResultWindow

    init(_ select: MemorySelect, _ evaluator: SQLEvaluator) throws(StoreError) {
        self.select = select
        self.evaluator = evaluator
        window = try ResultWindow(select, evaluator)
    }

    /// True for LIMIT 0.
    var isEmpty: Bool { window.limit == 0 }

    /// Number of leading input rows that suffice.
    var inputLimit: Int {
        select.order.isEmpty && select.aggregation == nil && !select.isDistinct ? window.end : .max
    }

    func resultSet(from source: borrowing some SQLSource, rows: [Int32]) throws(StoreError) -> ResultSet {
        if let aggregation = select.aggregation {
            return try GroupExecutor(select, aggregation, evaluator, window).resultSet(from: source, rows: rows)
        }
        // Without a table there is at most one row, so no sort is needed.
        var resultSet = ResultSet(names: select.names)
        for row in window.rows(of: rows) {
            for output in select.outputs { try resultSet.append(try evaluator.value(output, in: source, at: Int(row))) }
            resultSet.endRow()
        }
        return resultSet
    }

    /// The same for a table: cells of plain columns are read in place.
    func resultSet(from table: borrowing MemoryTable, rows: [Int32]) throws(StoreError) -> ResultSet {
        if let aggregation = select.aggregation {
            return try GroupExecutor(select, aggregation, evaluator, window).resultSet(from: table, rows: rows)
        }
        var ordered = rows
        if select.isDistinct {
            if select.scansBackward { ordered.reverse() }
            let limit = select.order.isEmpty ? window.end : .max
            ordered = try DistinctFilter(select, evaluator).rows(ordered, of: table, limit: limit)
        }
        // An index lookup yields at most one row.
        if !select.order.isEmpty, select.condition.lookup == nil {
            ordered = try RowSorter(select.order, evaluator).sorted(ordered, of: table, limit: window.end)
        }
        return try resultSet(from: table, chosen: window.rows(of: ordered))
    }

    private func resultSet(
        from table: borrowing MemoryTable, chosen: ArraySlice<Int32>
    ) throws(StoreError) -> ResultSet {
        let columnCount = select.columns.count
        if select.hasOnlyColumns,
            ResultSet.shouldShare(chosen.count, of: table.physicalRowCount, columnCount: columnCount)
        {
            return ResultSet(names: select.names, ColumnSnapshot(table, select.columns), rows: Array(chosen))
        }
        var resultSet = ResultSet(names: select.names)
        resultSet.reserve(chosen.count)
        if columnCount <= ColumnSnapshot.maximumInPlace {
            try ColumnSnapshot(table, select.columns).withCells { cells throws(StoreError) in
                try append(chosen, of: table, to: &resultSet) { resultSet, index, row throws(StoreError) in
                    try resultSet.append(cells[index].cell(at: row))
                }
            }
        } else {
            try append(chosen, of: table, to: &resultSet) { resultSet, index, row throws(StoreError) in
                try table.copyCell(row: row, column: select.columns[index], to: &resultSet)
            }
        }
        return resultSet
    }

    /// Appends rows of a table to a result set.
    /// - Parameter appendCell: appends the cell of a plain column, by its index in the result set, and the row.
    @inline(__always)
    private func append(
        _ chosen: ArraySlice<Int32>, of table: borrowing MemoryTable, to resultSet: inout ResultSet,
        _ appendCell: (inout ResultSet, _ index: Int, _ row: Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        var count = 0
        for row in chosen {
            for (index, output) in select.outputs.enumerated() {
                switch output {
                case .column, .rowid: try appendCell(&resultSet, index, Int(row))
                default: try resultSet.append(try evaluator.value(output, in: table, at: Int(row)))
                }
            }
            resultSet.endRow()
            try evaluator.interruption.check(afterExpensiveRow: count)
            count += 1
        }
    }
}

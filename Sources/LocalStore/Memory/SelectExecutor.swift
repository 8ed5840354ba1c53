/// Executes a SELECT on the rows that its WHERE selected: aggregates, ORDER BY, LIMIT and result columns.
struct SelectExecutor {
    private let select: MemorySelect
    private let evaluator: SQLEvaluator
    private let limit: Int
    private let offset: Int

    init(_ select: MemorySelect, _ evaluator: SQLEvaluator) throws(StoreError) {
        self.select = select
        self.evaluator = evaluator
        let limit = try Self.count(select.limit, evaluator) ?? -1
        self.limit = limit < 0 ? .max : Int(limit)
        offset = Int(max(try Self.count(select.offset, evaluator) ?? 0, 0))
    }

    /// True for LIMIT 0.
    var isEmpty: Bool { limit == 0 }

    /// Number of leading input rows that suffice.
    var inputLimit: Int {
        select.order.isEmpty && select.aggregates.isEmpty ? sortedLimit : .max
    }

    /// Number of leading rows that suffice once sorted.
    private var sortedLimit: Int {
        let (sum, isOverflow) = limit.addingReportingOverflow(offset)
        return isOverflow ? .max : sum
    }

    /// The value of LIMIT or OFFSET.
    private static func count(
        _ expression: BoundExpression?, _ evaluator: SQLEvaluator
    ) throws(StoreError) -> Int64? {
        guard let expression else { return nil }
        let value = ColumnAffinity.integer.stored(try evaluator.value(expression, in: NoRows(), at: 0))
        guard case .integer(let count) = value else {
            throw StoreError(.failed, "datatype mismatch: LIMIT and OFFSET take integers")
        }
        return count
    }

    func resultSet(from source: borrowing some SQLSource, rows: [Int32]) throws(StoreError) -> ResultSet {
        var resultSet = ResultSet(names: select.names)
        guard select.aggregates.isEmpty else {
            var results: [SQLValue] = []
            for aggregate in select.aggregates { results.append(try result(of: aggregate, source, rows)) }
            try append(results, to: &resultSet)
            return resultSet
        }
        // Without a table there is at most one row, so no sort is needed.
        let chosen = window(rows)
        resultSet.reserve(chosen.count)
        for row in chosen { try append(source, Int(row), evaluator, to: &resultSet) }
        return resultSet
    }

    /// The same for a table: cells of plain columns are read in place.
    func resultSet(from table: borrowing MemoryTable, rows: [Int32]) throws(StoreError) -> ResultSet {
        var resultSet = ResultSet(names: select.names)
        guard select.aggregates.isEmpty else {
            var results: [SQLValue] = []
            for aggregate in select.aggregates {
                if case .column(let column)? = aggregate.argument, aggregate.separator == nil {
                    var accumulator = SQLAggregate(aggregate.function)
                    accumulator.add(table.columns[column], rows)
                    results.append(try accumulator.result())
                } else {
                    results.append(try result(of: aggregate, table, rows))
                }
            }
            try append(results, to: &resultSet)
            return resultSet
        }
        var ordered = rows
        // An index lookup yields at most one row.
        if !select.order.isEmpty, select.condition.lookup == nil {
            ordered = try RowSorter(select.order, evaluator).sorted(rows, of: table, limit: sortedLimit)
        }
        let chosen = window(ordered)
        let snapshot = ColumnSnapshot(table, select.columns)
        if select.hasOnlyColumns, ResultSet.shouldShare(chosen.count, of: table.physicalRowCount) {
            return ResultSet(names: select.names, snapshot, rows: Array(chosen))
        }
        resultSet.reserve(chosen.count)
        try snapshot.withColumns { columns throws(StoreError) in
            for row in chosen {
                for (index, output) in select.outputs.enumerated() {
                    switch output {
                    case .column, .rowid: try resultSet.append(columns[index].cell(at: Int(row)))
                    default: try resultSet.append(try evaluator.value(output, in: table, at: Int(row)))
                    }
                }
                resultSet.endRow()
            }
        }
        return resultSet
    }

    /// Appends the single row of an aggregate query.
    private func append(_ results: [SQLValue], to resultSet: inout ResultSet) throws(StoreError) {
        guard limit > 0, offset == 0 else { return }
        var summed = evaluator
        summed.aggregates = results
        try append(NoRows(), 0, summed, to: &resultSet)
    }

    private func append(
        _ source: borrowing some SQLSource, _ row: Int, _ evaluator: SQLEvaluator, to resultSet: inout ResultSet
    ) throws(StoreError) {
        for output in select.outputs { try resultSet.append(try evaluator.value(output, in: source, at: row)) }
        resultSet.endRow()
    }

    private func window(_ rows: [Int32]) -> ArraySlice<Int32> { rows.dropFirst(offset).prefix(limit) }

    // MARK: Aggregates

    private func result(
        of aggregate: SQLBinder.Aggregate, _ source: borrowing some SQLSource, _ rows: [Int32]
    ) throws(StoreError) -> SQLValue {
        var accumulator = SQLAggregate(aggregate.function)
        guard let argument = aggregate.argument else {
            accumulator.addRows(rows.count)
            return try accumulator.result()
        }
        for row in rows {
            let value = try evaluator.value(argument, in: source, at: Int(row))
            var separator: SQLValue?
            if let expression = aggregate.separator {
                separator = try evaluator.value(expression, in: source, at: Int(row))
            }
            accumulator.add(value, separator: separator)
        }
        return try accumulator.result()
    }
}

/// Makes the answer of a SELECT from the rows that its WHERE chose: aggregates, order, limit, and the columns.
struct MemoryReader {
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

    /// True when LIMIT leaves no rows.
    var isEmpty: Bool { limit == 0 }

    /// How many rows are enough, the first ones.
    var wantedRows: Int {
        select.order.isEmpty && select.aggregates.isEmpty ? orderedRows : .max
    }

    /// How many rows are enough when they are in order.
    private var orderedRows: Int {
        let (sum, isOverflow) = limit.addingReportingOverflow(offset)
        return isOverflow ? .max : sum
    }

    /// The number behind LIMIT or OFFSET.
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

    func answer(_ source: borrowing some SQLSource, rows: [Int32]) throws(StoreError) -> MemoryAnswer {
        var answer = MemoryAnswer(names: select.names)
        guard select.aggregates.isEmpty else {
            var sums: [SQLValue] = []
            for aggregate in select.aggregates { sums.append(try result(of: aggregate, source, rows)) }
            try append(sums, to: &answer)
            return answer
        }
        // One row at most, which needs no order.
        let chosen = window(rows)
        answer.reserve(chosen.count)
        for row in chosen { try append(source, Int(row), evaluator, to: &answer) }
        return answer
    }

    /// As the other one, with the cells of plain columns read as they lie.
    func answer(_ table: borrowing MemoryTable, rows: [Int32]) throws(StoreError) -> MemoryAnswer {
        var answer = MemoryAnswer(names: select.names)
        guard select.aggregates.isEmpty else {
            var sums: [SQLValue] = []
            for aggregate in select.aggregates {
                if case .column(let column)? = aggregate.argument, aggregate.separator == nil {
                    var sum = SQLAggregate(aggregate.function)
                    sum.add(table.columns[column], rows)
                    sums.append(try sum.result())
                } else {
                    sums.append(try result(of: aggregate, table, rows))
                }
            }
            try append(sums, to: &answer)
            return answer
        }
        var ordered = rows
        // What is looked up is one row at most.
        if !select.order.isEmpty, select.condition.lookup == nil {
            ordered = try MemoryOrder(select.order, evaluator).ordered(rows, of: table, atMost: orderedRows)
        }
        let chosen = window(ordered)
        let view = MemoryView(table, select.columns)
        if select.isPlain, MemoryAnswer.shares(chosen.count, of: table.placeCount) {
            return MemoryAnswer(names: select.names, view, rows: Array(chosen))
        }
        answer.reserve(chosen.count)
        try view.lend { columns throws(StoreError) in
            for row in chosen {
                for (place, output) in select.outputs.enumerated() {
                    switch output {
                    case .column, .rowid: try answer.append(columns[place].cell(at: Int(row)))
                    default: try answer.append(try evaluator.value(output, in: table, at: Int(row)))
                    }
                }
                answer.endRow()
            }
        }
        return answer
    }

    /// Adds the one row of an answer of aggregates.
    private func append(_ sums: [SQLValue], to answer: inout MemoryAnswer) throws(StoreError) {
        guard limit > 0, offset == 0 else { return }
        var summed = evaluator
        summed.aggregates = sums
        try append(NoRows(), 0, summed, to: &answer)
    }

    private func append(
        _ source: borrowing some SQLSource, _ row: Int, _ evaluator: SQLEvaluator, to answer: inout MemoryAnswer
    ) throws(StoreError) {
        for output in select.outputs { try answer.append(try evaluator.value(output, in: source, at: row)) }
        answer.endRow()
    }

    private func window(_ rows: [Int32]) -> ArraySlice<Int32> { rows.dropFirst(offset).prefix(limit) }

    // MARK: Aggregates

    private func result(
        of aggregate: SQLBinder.Aggregate, _ source: borrowing some SQLSource, _ rows: [Int32]
    ) throws(StoreError) -> SQLValue {
        var sum = SQLAggregate(aggregate.function)
        guard let argument = aggregate.argument else {
            sum.addRows(rows.count)
            return try sum.result()
        }
        for row in rows {
            let value = try evaluator.value(argument, in: source, at: Int(row))
            var separator: SQLValue?
            if let expression = aggregate.separator {
                separator = try evaluator.value(expression, in: source, at: Int(row))
            }
            sum.add(value, separator: separator)
        }
        return try sum.result()
    }
}

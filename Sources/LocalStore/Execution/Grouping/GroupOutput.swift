import StoreCore

/// Makes the result set of an aggregate query, group by group: HAVING, DISTINCT, ORDER BY, LIMIT and result columns.
struct GroupOutput {
    private let select: MemorySelect
    private let having: BoundExpression?
    private let window: ResultWindow
    private var evaluator: SQLEvaluator
    private var resultSet: ResultSet
    private var seen: DistinctRows?
    /// Rows left out by OFFSET so far.
    private var skipped = 0
    /// With ORDER BY: the results of all groups, and the values of each term.
    private var pending: [[SQLValue]] = []
    private var terms: [MemoryColumn]

    init(_ select: MemorySelect, _ having: BoundExpression?, _ evaluator: SQLEvaluator, _ window: ResultWindow) {
        self.select = select
        self.having = having
        self.evaluator = evaluator
        self.window = window
        resultSet = ResultSet(names: select.names)
        seen = select.isDistinct ? DistinctRows(.random()) : nil
        terms = select.order.map { _ in MemoryColumn() }
    }

    /// True if further groups cannot change the result.
    var isComplete: Bool { select.order.isEmpty && resultSet.rowCount >= window.limit }

    /// Adds a group.
    /// - Parameters:
    ///   - results: the results of the aggregates.
    ///   - row: the row that columns outside of aggregate functions come from.
    mutating func add(
        _ results: [SQLValue], _ source: borrowing some SQLSource, _ row: Int
    ) throws(StoreError) {
        evaluator.aggregates = results
        if let having, try !evaluator.holds(having, in: source, at: row) { return }
        if select.order.isEmpty, seen == nil { return try append(source, row) }
        var values: [SQLValue] = []
        for output in select.outputs { values.append(try evaluator.value(output, in: source, at: row)) }
        if seen?.insert(values) == false { return }
        guard !select.order.isEmpty else { return try append(values) }
        for (index, term) in select.order.enumerated() {
            try terms[index].append(try evaluator.value(term.expression, in: source, at: row))
        }
        pending.append(values)
    }

    /// Appends a group at once, unless OFFSET leaves it out.
    private mutating func append(_ source: borrowing some SQLSource, _ row: Int) throws(StoreError) {
        guard !isSkipped() else { return }
        for output in select.outputs { try resultSet.append(try evaluator.value(output, in: source, at: row)) }
        resultSet.endRow()
    }

    private mutating func append(_ values: [SQLValue]) throws(StoreError) {
        guard !isSkipped() else { return }
        for value in values { try resultSet.append(value) }
        resultSet.endRow()
    }

    private mutating func isSkipped() -> Bool {
        guard skipped < window.offset else { return false }
        skipped += 1
        return true
    }

    consuming func finish() throws(StoreError) -> ResultSet {
        guard !pending.isEmpty else { return resultSet }
        let sortings = select.order.map {
            RowSorter.Sorting(isDescending: $0.isDescending, isNullsFirst: $0.isNullsFirst)
        }
        let positions = try RowSorter.positions(
            sortedBy: terms, sortings, limit: window.end, evaluator.interruption)
        for (index, position) in window.rows(of: positions).enumerated() {
            for value in pending[Int(position)] { try resultSet.append(value) }
            resultSet.endRow()
            try evaluator.interruption.check(afterRow: index)
        }
        return resultSet
    }
}

import StoreCore

/// Executes the aggregation of a SELECT on the rows that its WHERE selected.
///
/// Groups of plain columns are made by a hash table and aggregated column by column; others by sorting the rows, as in
/// SQLite. Both give the groups in the order of SQLite's sorter.
struct GroupExecutor {
    private let select: MemorySelect
    private let aggregation: MemoryAggregation
    private let evaluator: SQLEvaluator
    private let window: ResultWindow

    init(
        _ select: MemorySelect, _ aggregation: MemoryAggregation, _ evaluator: SQLEvaluator, _ window: ResultWindow
    ) {
        self.select = select
        self.aggregation = aggregation
        self.evaluator = evaluator
        self.window = window
    }

    private var output: GroupOutput { GroupOutput(select, aggregation.having, evaluator, window) }

    func resultSet(from table: borrowing MemoryTable, rows: [Int32]) throws(StoreError) -> ResultSet {
        if aggregation.isSimple { return try total(of: table, rows) }
        guard var groups = ColumnGroups(aggregation) else { return try sorted(table, rows, table.seed) }
        let interruption = evaluator.interruption
        return try ColumnSnapshot(table, groups.columns).withCells { columns throws(StoreError) in
            let columns = Array(columns)
            try groups.add(rows, of: table, columns, interruption)
            let order = try RowSorter(ordering, evaluator).positions(of: groups.firstRows, in: table, limit: .max)
            var output = output
            for (index, group) in order.enumerated() where !output.isComplete {
                let row = Int(groups.row(of: Int(group)))
                try output.add(try groups.results(of: Int(group), columns), table, row)
                try interruption.check(afterExpensiveRow: index)
            }
            return try output.finish()
        }
    }

    func resultSet(from source: borrowing some SQLSource, rows: [Int32]) throws(StoreError) -> ResultSet {
        try sorted(source, rows, .random())
    }

    /// The order of the groups: by their keys, NULL as the smallest value.
    private var ordering: [MemorySelect.OrderingTerm] {
        zip(aggregation.keys, aggregation.isDescending).map { key, isDescending in
            MemorySelect.OrderingTerm(expression: key, isDescending: isDescending, isNullsFirst: !isDescending)
        }
    }

    /// All rows as one group, without columns outside of aggregate functions: aggregated column by column.
    private func total(of table: borrowing MemoryTable, _ rows: [Int32]) throws(StoreError) -> ResultSet {
        var results: [SQLValue] = []
        for aggregate in aggregation.aggregates {
            results.append(try SQLAggregate.total(of: aggregate, table, rows, evaluator))
        }
        var output = output
        try output.add(results, NoRows(), 0)
        return try output.finish()
    }

    // MARK: Sorting

    private func sorted(
        _ source: borrowing some SQLSource, _ rows: [Int32], _ seed: HashSeed
    ) throws(StoreError) -> ResultSet {
        var group = RowGroup(aggregation, seed)
        var output = output
        guard !aggregation.keys.isEmpty else {
            for (index, row) in rows.enumerated() {
                try group.add(Int(row), of: source, evaluator)
                try evaluator.interruption.check(afterExpensiveRow: index)
            }
            try add(group, source, to: &output)
            return try output.finish()
        }
        let keys = try keyColumns(of: source, rows)
        let order =
            aggregation.isByRowid ? rows.indices.map { Int32(truncatingIfNeeded: $0) }[...] : try sortedPositions(keys)
        for (index, position) in order.enumerated() where !output.isComplete {
            if index > 0, !isSameGroup(keys, Int(order[index - 1]), Int(position)) {
                try add(group, source, to: &output)
                group.begin()
            }
            if output.isComplete { break }
            try group.add(Int(rows[Int(position)]), of: source, evaluator)
            try evaluator.interruption.check(afterExpensiveRow: index)
        }
        if !order.isEmpty, !output.isComplete { try add(group, source, to: &output) }
        return try output.finish()
    }

    private func add(
        _ group: RowGroup, _ source: borrowing some SQLSource, to output: inout GroupOutput
    ) throws(StoreError) {
        let results = try group.results()
        if let row = group.row { try output.add(results, source, row) } else { try output.add(results, NoRows(), 0) }
    }

    /// The values of each key, one per row.
    private func keyColumns(
        of source: borrowing some SQLSource, _ rows: [Int32]
    ) throws(StoreError) -> [MemoryColumn] {
        var columns = aggregation.keys.map { _ in MemoryColumn() }
        for (index, row) in rows.enumerated() {
            for (column, key) in aggregation.keys.enumerated() {
                try columns[column].append(try evaluator.value(key, in: source, at: Int(row)))
            }
            try evaluator.interruption.check(afterExpensiveRow: index)
        }
        return columns
    }

    private func sortedPositions(_ keys: [MemoryColumn]) throws(StoreError) -> ArraySlice<Int32> {
        let sortings = aggregation.isDescending.map { RowSorter.Sorting(isDescending: $0, isNullsFirst: !$0) }
        return try RowSorter.positions(sortedBy: keys, sortings, limit: .max, evaluator.interruption)
    }

    private func isSameGroup(_ keys: [MemoryColumn], _ one: Int, _ other: Int) -> Bool {
        keys.allSatisfy { SQLValue.order($0.value(at: one), $0.value(at: other)) == 0 }
    }
}

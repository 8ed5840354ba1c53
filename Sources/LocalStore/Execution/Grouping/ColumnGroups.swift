import StoreCore

/// The groups of a GROUP BY on plain columns, made and aggregated column by column.
struct ColumnGroups {
    private let aggregation: MemoryAggregation
    /// The columns of the keys, then the arguments of the aggregates; nil for the rowid.
    let columns: [Int?]
    /// For each aggregate, the index of its argument in ``columns``; nil for `count(*)`.
    private let arguments: [Int?]
    private var states: [GroupedColumn]
    /// The first row of each group.
    private(set) var firstRows: [Int32] = []

    /// - Returns: nil if an expression, DISTINCT or FILTER needs the values of each row.
    init?(_ aggregation: MemoryAggregation) {
        guard !aggregation.keys.isEmpty, !aggregation.isByRowid else { return nil }
        var columns: [Int?] = []
        var arguments: [Int?] = []
        for key in aggregation.keys {
            guard case .column(let column) = key else { return nil }
            columns.append(column)
        }
        for aggregate in aggregation.aggregates {
            guard !aggregate.isDistinct, aggregate.filter == nil, aggregate.function != .groupConcat else { return nil }
            switch aggregate.argument {
            case nil: arguments.append(nil)
            case .column(let column):
                arguments.append(columns.count)
                columns.append(column)
            case .rowid:
                arguments.append(columns.count)
                columns.append(nil)
            default: return nil
            }
        }
        self.aggregation = aggregation
        self.columns = columns
        self.arguments = arguments
        states = aggregation.aggregates.map { GroupedColumn($0.function) }
    }

    /// Adds rows of a table.
    /// - Parameter cells: the cells of ``columns``.
    mutating func add(
        _ rows: [Int32], of table: borrowing MemoryTable, _ cells: [ColumnCells],
        _ interruption: StatementInterruption
    ) throws(StoreError) {
        var grouper = ColumnGrouper(table.seed, keyCount: aggregation.keys.count)
        for block in RowBlocks(rows, of: table) {
            if block.positions.lowerBound > 0 { try interruption.checkAfterBlock() }
            grouper.add(block, rows, of: table, columns, cells)
            let groupCount = grouper.groupCount
            rows.withUnsafeBufferPointer { rows in
                let rows = UnsafeBufferPointer(rebasing: rows[block.positions])
                for index in states.indices {
                    let argument = arguments[index]
                    states[index].add(
                        rows, argument.map { cells[$0] },
                        mask: argument.map { table.mask(of: columns[$0], in: block) } ?? 0, grouper.groups,
                        groupCount: groupCount)
                }
            }
        }
        firstRows = grouper.firstRows
    }

    /// The results of the aggregates for a group.
    /// - Parameter cells: the cells of ``columns``.
    func results(of group: Int, _ cells: [ColumnCells]) throws(StoreError) -> [SQLValue] {
        var results: [SQLValue] = []
        results.reserveCapacity(states.count)
        for index in states.indices {
            results.append(try states[index].result(of: group, arguments[index].map { cells[$0] }))
        }
        return results
    }

    /// The row of a group that gives the values of columns outside of aggregate functions.
    ///
    /// As in SQLite, it is the row that the last `min` or `max` has chosen, or else the first row of the group.
    func row(of group: Int) -> Int32 {
        guard let last = aggregation.aggregates.lastIndex(where: \.isExtreme) else { return firstRows[group] }
        return states[last].row(of: group)
    }
}

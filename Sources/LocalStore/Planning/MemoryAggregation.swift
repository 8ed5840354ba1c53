/// The planned aggregation of a SELECT with GROUP BY or aggregate functions.
struct MemoryAggregation: Sendable {
    let aggregates: [SQLBinder.Aggregate]
    /// The terms of GROUP BY; without any, all rows are one group, even if there are no rows.
    let keys: [BoundExpression]
    /// For each key, true if SQLite sorts the groups in descending order.
    let isDescending: [Bool]
    let having: BoundExpression?
    /// True if the result has columns outside of aggregate functions: they are those of one row of each group.
    let hasBareColumns: Bool

    /// True if every row is a group of its own, so SQLite neither sorts nor compares the rows.
    var isByRowid: Bool { keys.contains { if case .rowid = $0 { true } else { false } } }

    /// True for a single group of all rows, whose aggregates are computed column by column.
    var isSimple: Bool {
        keys.isEmpty && having == nil && !hasBareColumns
            && aggregates.allSatisfy { !$0.isDistinct && $0.filter == nil }
    }
}

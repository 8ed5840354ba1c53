import StoreCore

/// Accumulates the rows of a group one by one: any aggregate, with DISTINCT and FILTER.
///
/// Columns outside of aggregate functions come from one row of the group. SQLite loads them for the first row, or with
/// `min` or `max` for each row with a new best value. It decides by two registers, and those are imitated here: with
/// DISTINCT or FILTER they may also be those of another row.
struct RowGroup {
    private let aggregation: MemoryAggregation
    private let seed: HashSeed
    private var states: [SQLAggregate] = []
    private var seen: [DistinctRows?] = []
    /// True if SQLite remembers whether the columns were loaded; not if a `min` or `max` without FILTER decides.
    private let remembersLoading: Bool
    /// True if a `min` or `max` decides.
    private let hasExtreme: Bool
    private var isLoaded = false
    /// True if the last `min` or `max` keeps the columns as they are. The register outlives the group.
    private var keepsColumns = false
    /// The row that the columns come from.
    private(set) var row: Int?

    init(_ aggregation: MemoryAggregation, _ seed: HashSeed) {
        self.aggregation = aggregation
        self.seed = seed
        let extremes = aggregation.aggregates.filter(\.isExtreme)
        remembersLoading = !aggregation.keys.isEmpty || extremes.allSatisfy { $0.filter != nil }
        hasExtreme = !extremes.isEmpty
        begin()
    }

    /// Begins the next group.
    mutating func begin() {
        states = aggregation.aggregates.map { SQLAggregate($0.function) }
        seen = aggregation.aggregates.map { $0.isDistinct ? DistinctRows(seed) : nil }
        isLoaded = false
        row = nil
    }

    mutating func add(
        _ row: Int, of source: borrowing some SQLSource, _ evaluator: SQLEvaluator
    ) throws(StoreError) {
        for (index, aggregate) in aggregation.aggregates.enumerated() {
            if let filter = aggregate.filter {
                if aggregate.isExtreme, remembersLoading { keepsColumns = isLoaded }
                guard try evaluator.holds(filter, in: source, at: row) else { continue }
            }
            guard let argument = aggregate.argument else {
                states[index].addRows(1)
                continue
            }
            let value = try evaluator.value(argument, in: source, at: row)
            var separator: SQLValue?
            if let expression = aggregate.separator {
                separator = try evaluator.value(expression, in: source, at: row)
            }
            if aggregate.isDistinct, seen[index]?.insert([value]) == false { continue }
            if aggregate.isExtreme { keepsColumns = !states[index].isExtreme(value) }
            try states[index].add(value, separator: separator)
        }
        if !(hasExtreme ? keepsColumns : remembersLoading && isLoaded) { self.row = row }
        isLoaded = true
    }

    func results() throws(StoreError) -> [SQLValue] {
        var results: [SQLValue] = []
        for state in states { results.append(try state.result()) }
        return results
    }
}

extension SQLBinder.Aggregate {
    /// True for `min` and `max`, which choose the row of columns outside of aggregate functions.
    var isExtreme: Bool { function == .minimum || function == .maximum }
}

import StoreCore

/// A planned SELECT. A class, so that running it copies no members.
final class MemorySelect: Sendable {
    enum Source: Sendable { case noTable, table(Int), catalog }

    struct OrderingTerm: Sendable {
        let expression: BoundExpression
        let isDescending: Bool
        let isNullsFirst: Bool
    }

    let source: Source
    let names: [String]
    let outputs: [BoundExpression]
    let condition: MemoryCondition
    let isDistinct: Bool
    /// Nil without GROUP BY and aggregate functions.
    let aggregation: MemoryAggregation?
    let order: [OrderingTerm]
    let limit: BoundExpression?
    let offset: BoundExpression?
    /// True if a result depends on the last change: `last_insert_rowid()` or `changes()`.
    let usesSession: Bool
    /// True if SQLite visits the rows from the last to the first: DISTINCT then keeps the last of equal rows.
    var scansBackward: Bool {
        guard isDistinct, aggregation == nil, let first = order.first, first.isDescending else { return false }
        if case .rowid = first.expression { return true }
        return false
    }
    /// The column of each output; nil for the rowid and for computed outputs.
    let columns: [Int?]
    /// True if all outputs are columns or the rowid.
    let hasOnlyColumns: Bool
    /// The point lookup, if the statement only reads columns of the row with a given key.
    let pointLookup: PointLookup?

    /// A lookup of one row by its rowid or by a single-column key.
    struct PointLookup: Sendable {
        let slot: Int
        /// Index of the key in ``MemoryTable/keys``; nil for the rowid.
        let key: Int?
        /// Index of the parameter with the key.
        let parameter: Int
        /// Storage class that the parameter must have.
        let kind: StoreValue.Kind
    }

    init(
        source: Source, names: [String], outputs: [BoundExpression], condition: MemoryCondition, isDistinct: Bool,
        aggregation: MemoryAggregation?, order: [OrderingTerm], limit: BoundExpression?, offset: BoundExpression?,
        usesSession: Bool
    ) {
        self.source = source
        self.names = names
        self.outputs = outputs
        self.condition = condition
        self.isDistinct = isDistinct
        self.aggregation = aggregation
        self.order = order
        self.limit = limit
        self.offset = offset
        self.usesSession = usesSession
        columns = outputs.map { if case .column(let column) = $0 { column } else { nil } }
        hasOnlyColumns = outputs.allSatisfy { output in
            switch output {
            case .column, .rowid: true
            default: false
            }
        }
        let isSimple =
            hasOnlyColumns && condition.terms.isEmpty && aggregation == nil && limit == nil && offset == nil
        pointLookup =
            if isSimple, case .table(let slot) = source { Self.pointLookup(condition.lookup, slot) } else { nil }
    }

    private static func pointLookup(_ lookup: MemoryCondition.Lookup?, _ slot: Int) -> PointLookup? {
        switch lookup {
        case .rowid(.parameter(let parameter)):
            return PointLookup(slot: slot, key: nil, parameter: parameter, kind: .integer)
        case .key(let key, let values, let affinities):
            guard values.count == 1, case .parameter(let parameter) = values[0] else { return nil }
            switch affinities[0] {
            case .text: return PointLookup(slot: slot, key: key, parameter: parameter, kind: .text)
            case .integer, .numeric: return PointLookup(slot: slot, key: key, parameter: parameter, kind: .integer)
            case .real, .blob: return nil
            }
        default: return nil
        }
    }
}

/// A SELECT, made ready. A class, so that running it does not copy all its parts.
final class MemorySelect: Sendable {
    enum Source: Sendable { case nothing, table(Int), catalog }

    struct Order: Sendable {
        let expression: BoundExpression
        let isDescending: Bool
        let isNullsFirst: Bool
    }

    let source: Source
    let names: [String]
    let outputs: [BoundExpression]
    let condition: MemoryCondition
    let aggregates: [SQLBinder.Aggregate]
    let order: [Order]
    let limit: BoundExpression?
    let offset: BoundExpression?
    /// The column that each output is; nil for the rowid, and for what is computed.
    let columns: [Int?]
    /// True when nothing is computed.
    let isPlain: Bool
    /// Set when the statement asks for columns of the one row with a key, and for nothing else.
    let point: Point?

    /// A row by its rowid or by a key of one column.
    struct Point: Sendable {
        let slot: Int
        /// The place of the key among the table's; nil for the rowid.
        let key: Int?
        /// The place of the parameter that the row is found by.
        let parameter: Int
        /// The class that the parameter has to be of.
        let kind: StoreValue.Kind
    }

    init(
        source: Source, names: [String], outputs: [BoundExpression], condition: MemoryCondition,
        aggregates: [SQLBinder.Aggregate], order: [Order], limit: BoundExpression?, offset: BoundExpression?
    ) {
        self.source = source
        self.names = names
        self.outputs = outputs
        self.condition = condition
        self.aggregates = aggregates
        self.order = order
        self.limit = limit
        self.offset = offset
        columns = outputs.map { if case .column(let column) = $0 { column } else { nil } }
        isPlain = outputs.allSatisfy { output in
            switch output {
            case .column, .rowid: true
            default: false
            }
        }
        let isSimple =
            isPlain && condition.terms.isEmpty && aggregates.isEmpty && limit == nil && offset == nil
        point = if isSimple, case .table(let slot) = source { Self.point(condition.lookup, slot) } else { nil }
    }

    private static func point(_ lookup: MemoryCondition.Lookup?, _ slot: Int) -> Point? {
        switch lookup {
        case .rowid(.parameter(let parameter)):
            return Point(slot: slot, key: nil, parameter: parameter, kind: .integer)
        case .key(let key, let values, let affinities):
            guard values.count == 1, case .parameter(let parameter) = values[0] else { return nil }
            switch affinities[0] {
            case .text: return Point(slot: slot, key: key, parameter: parameter, kind: .text)
            case .integer, .numeric: return Point(slot: slot, key: key, parameter: parameter, kind: .integer)
            case .real, .blob: return nil
            }
        default: return nil
        }
    }
}

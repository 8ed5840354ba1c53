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
    /// Set when the statement asks for columns of the row with one rowid, and for nothing else.
    let point: Point?

    /// A row by its rowid.
    struct Point: Sendable {
        let slot: Int
        /// The place of the parameter that is the rowid.
        let parameter: Int
        /// The columns; nil is the rowid.
        let columns: [Int?]
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
        if case .table(let slot) = source, case .rowid(.parameter(let parameter))? = condition.lookup,
            condition.terms.isEmpty, aggregates.isEmpty, limit == nil, offset == nil
        {
            point = Self.columns(outputs).map { Point(slot: slot, parameter: parameter, columns: $0) }
        } else {
            point = nil
        }
    }

    private static func columns(_ outputs: [BoundExpression]) -> [Int?]? {
        var columns: [Int?] = []
        for output in outputs {
            switch output {
            case .column(let column): columns.append(column)
            case .rowid: columns.append(nil)
            default: return nil
            }
        }
        return columns
    }
}

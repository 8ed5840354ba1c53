/// Syntax tree of a SELECT.
struct SQLSelect: Sendable {
    enum Column: Sendable {
        /// `*`, or `table.*`.
        case all(table: String?, offset: Int)
        /// An expression and its result name: the alias, or its source text.
        case expression(SQLExpression, name: String, alias: String?)
    }

    struct OrderingTerm: Sendable {
        let expression: SQLExpression
        let isDescending: Bool
        let isNullsFirst: Bool
        let offset: Int
    }

    /// A term of GROUP BY, or the condition of HAVING.
    struct GroupingTerm: Sendable {
        let expression: SQLExpression
        let offset: Int
    }

    let isDistinct: Bool
    let columns: [Column]
    let table: String?
    let tableAlias: String?
    let condition: SQLExpression?
    /// The terms of GROUP BY; empty without one.
    let grouping: [GroupingTerm]
    let having: GroupingTerm?
    let order: [OrderingTerm]
    let limit: SQLExpression?
    let offset: SQLExpression?
}

/// A SELECT as it was written.
struct SQLSelect: Sendable {
    enum Column: Sendable {
        /// `*`, or `table.*`.
        case all(table: String?, offset: Int)
        /// An expression with its name: the alias, or else the text.
        case expression(SQLExpression, name: String, alias: String?)
    }

    struct Order: Sendable {
        let expression: SQLExpression
        let isDescending: Bool
        let isNullsFirst: Bool
        let offset: Int
    }

    let columns: [Column]
    let table: String?
    let tableAlias: String?
    let condition: SQLExpression?
    let order: [Order]
    let limit: SQLExpression?
    let offset: SQLExpression?
}

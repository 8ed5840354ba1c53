/// An UPDATE as it was written.
struct SQLUpdate: Sendable {
    struct Assignment: Sendable {
        let column: SQLName
        let value: SQLExpression
    }

    let table: String
    let assignments: [Assignment]
    let condition: SQLExpression?
}

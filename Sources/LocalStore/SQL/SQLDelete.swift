/// A DELETE as it was written.
struct SQLDelete: Sendable {
    let table: String
    let condition: SQLExpression?
}

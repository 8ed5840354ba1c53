/// An UPDATE, made ready.
struct MemoryUpdate: Sendable {
    struct Assignment: Sendable {
        /// Nil is the rowid.
        let column: Int?
        let value: BoundExpression
    }

    let table: Int
    let assignments: [Assignment]
    let condition: MemoryCondition
}

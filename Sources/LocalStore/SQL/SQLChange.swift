/// Conflict resolution for a row that violates a constraint (sqlite.org/lang_conflict.html).
enum SQLConflict: Sendable { case abort, replace, ignore }

/// Syntax tree of an INSERT.
struct SQLInsert: Sendable {
    enum Source: Sendable {
        case rows([[SQLExpression]])
        case select(SQLSelect)
        case defaults
    }

    let table: String
    let alias: String?
    let columns: [SQLName]?
    let source: Source
    let conflict: SQLConflict
    /// The ON CONFLICT clauses, in order.
    let upserts: [SQLUpsert]
    let returning: [SQLSelect.Column]
}

/// Syntax tree of an ON CONFLICT clause of an INSERT (sqlite.org/lang_upsert.html).
struct SQLUpsert: Sendable {
    enum Action: Sendable {
        case nothing
        case update([SQLUpdate.Assignment], condition: SQLExpression?)
    }

    /// The columns of the conflict target; nil for any uniqueness constraint.
    let target: [SQLName]?
    let action: Action
    let offset: Int
}

/// Syntax tree of an UPDATE.
struct SQLUpdate: Sendable {
    struct Assignment: Sendable {
        let column: SQLName
        let value: SQLExpression
    }

    let table: String
    let assignments: [Assignment]
    let condition: SQLExpression?
    let returning: [SQLSelect.Column]
}

/// Syntax tree of a DELETE.
struct SQLDelete: Sendable {
    let table: String
    let condition: SQLExpression?
    let returning: [SQLSelect.Column]
}

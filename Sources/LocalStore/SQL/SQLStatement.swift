/// Syntax tree of a statement.
struct SQLStatement: Sendable {
    enum Kind: Sendable {
        case select(SQLSelect)
        case insert(SQLInsert)
        case update(SQLUpdate)
        case delete(SQLDelete)
        case createTable(SQLTableDefinition, ifNotExists: Bool)
        case dropTable(String, ifExists: Bool)
        case addColumn(table: String, SQLColumnDefinition, text: String)
        case renameTable(String, to: String)
    }

    let kind: Kind
    /// Number of parameters.
    let parameterCount: Int
}

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
    let columns: [SQLName]?
    let source: Source
    let conflict: SQLConflict
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
}

/// Syntax tree of a DELETE.
struct SQLDelete: Sendable {
    let table: String
    let condition: SQLExpression?
}

/// One statement, with what it says about its parameters.
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
    /// How many values the statement wants.
    let parameterCount: Int
}

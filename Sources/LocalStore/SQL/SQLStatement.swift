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
        /// - `isQuoted`: true if the statement has the new name in quotes.
        case renameColumn(table: String, SQLName, to: String, isQuoted: Bool)
        case dropColumn(table: String, SQLName)
        /// Reads `PRAGMA user_version`, or sets it to a value.
        case userVersion(Int32?)
    }

    let kind: Kind
    let sql: String
    /// Number of parameters.
    let parameterCount: Int
    /// True if it has a list of IN that is long; see ``SQLListSets``.
    let hasLongList: Bool
}

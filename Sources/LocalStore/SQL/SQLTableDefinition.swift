import StoreCore

/// Syntax tree of a column definition.
struct SQLColumnDefinition: Sendable {
    let name: String
    let declaredType: String
    var isNotNull = false
    var isPrimaryKey = false
    var isUnique = false
    /// An expression without names; nil if there is no DEFAULT.
    var defaultValue: SQLExpression?
    /// True if the default is an expression in parentheses.
    var isDefaultComputed = false
    let offset: Int
}

/// Syntax tree of a table definition.
struct SQLTableDefinition: Sendable {
    /// A column's name in the source text: in its definition or in a key.
    struct Mention: Sendable {
        let column: SQLIdentifier
        let range: Range<Int>
    }

    let name: String
    var columns: [SQLColumnDefinition] = []
    var primaryKey: [String] = []
    /// Columns of each unique constraint, in order of declaration, including the primary key.
    var uniqueKeys: [[String]] = []
    /// The statement, as `sqlite_master` shows it.
    var text = ""
    /// Byte offset in `text` at which ALTER TABLE inserts a column.
    var columnsEnd = 0
    /// The names of columns, in the order of the source text.
    var mentions: [Mention] = []

    init(name: String) { self.name = name }
}

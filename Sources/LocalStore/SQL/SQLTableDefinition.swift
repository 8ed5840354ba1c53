/// A column as CREATE TABLE says it.
struct SQLColumnDefinition: Sendable {
    let name: String
    let declaredType: String
    var isNotNull = false
    var isPrimaryKey = false
    var isUnique = false
    /// Without names; NULL when there is none.
    var defaultValue: SQLExpression?
    /// True when the default is an expression in parentheses.
    var isDefaultComputed = false
    let offset: Int
}

/// A table as CREATE TABLE says it.
struct SQLTableDefinition: Sendable {
    let name: String
    var columns: [SQLColumnDefinition]
    var primaryKey: [String]
    /// The unique constraints in their order, the primary key among them, each by its columns.
    var uniqueKeys: [[String]]
    /// The statement as `sqlite_master` shows it.
    var text: String
    /// Where in `text`, in bytes, another column would be added.
    var columnsEnd: Int
}

/// What to do about a row that breaks a rule.
enum SQLConflict: Sendable { case abort, replace, ignore }

/// An INSERT as it was written.
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

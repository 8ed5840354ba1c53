/// An INSERT, made ready.
struct MemoryInsert: Sendable {
    enum Source: Sendable {
        case rows([[BoundExpression]])
        case select(MemorySelect)
        case defaults
    }

    let table: Int
    /// The column for each value of a row; nil is the rowid of a table that has no column for it.
    let columns: [Int?]
    let source: Source
    let conflict: SQLConflict
}

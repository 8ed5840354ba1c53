/// A prepared statement: names resolved, expressions bound, access path chosen.
///
/// It is valid for one schema version and any parameters.
final class MemoryPlan: Sendable {
    enum Kind: Sendable {
        case select(MemorySelect)
        case insert(MemoryInsert)
        case update(MemoryUpdate)
        case delete(table: Int, MemoryCondition)
        /// CREATE, DROP or ALTER TABLE, run from its syntax tree.
        case definition(SQLStatement.Kind)
    }

    let kind: Kind
    let parameterCount: Int
    let schemaVersion: Int

    var isReadOnly: Bool {
        if case .select = kind { return true }
        return false
    }

    init(_ kind: Kind, parameterCount: Int, schemaVersion: Int) {
        self.kind = kind
        self.parameterCount = parameterCount
        self.schemaVersion = schemaVersion
    }
}

/// A planned INSERT.
struct MemoryInsert: Sendable {
    enum Source: Sendable {
        case rows([[BoundExpression]])
        case select(MemorySelect)
        case defaults
    }

    let table: Int
    /// For each value of a row, the column; nil for the rowid of a table that has no column for it.
    let columns: [Int?]
    let source: Source
    let conflict: SQLConflict
}

/// A planned UPDATE.
struct MemoryUpdate: Sendable {
    struct Assignment: Sendable {
        /// The column; nil for the rowid.
        let column: Int?
        let value: BoundExpression
    }

    let table: Int
    let assignments: [Assignment]
    let condition: MemoryCondition
}

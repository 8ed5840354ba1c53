/// A prepared statement: names resolved, expressions bound, access path chosen.
///
/// It is valid for one schema version and any parameters.
final class MemoryPlan: Sendable {
    enum Kind: Sendable {
        case select(MemorySelect)
        case insert(MemoryInsert)
        case update(MemoryUpdate)
        case delete(MemoryDelete)
        /// CREATE, DROP or ALTER TABLE, run from its syntax tree.
        case definition(SQLStatement.Kind)
        /// Reads `PRAGMA user_version`, or sets it to a value.
        case userVersion(Int32?)
    }

    let kind: Kind
    /// The statement, for errors.
    let sql: String
    let parameterCount: Int
    let schemaVersion: Int
    /// True if it has a list of IN that is long; see ``SQLListSets``.
    let hasLongList: Bool

    /// True if the statement runs on any snapshot: it writes nothing and does not depend on the last change.
    var isReadOnly: Bool {
        switch kind {
        case .select(let select): !select.usesSession
        case .userVersion(let value): value == nil
        default: false
        }
    }

    /// True if the statement changes rows and has a RETURNING clause.
    var returnsChangedRows: Bool {
        switch kind {
        case .insert(let insert): insert.returning != nil
        case .update(let update): update.returning != nil
        case .delete(let delete): delete.returning != nil
        case .select, .definition, .userVersion: false
        }
    }

    init(_ kind: Kind, sql: String, parameterCount: Int, schemaVersion: Int, hasLongList: Bool = false) {
        self.kind = kind
        self.sql = sql
        self.parameterCount = parameterCount
        self.schemaVersion = schemaVersion
        self.hasLongList = hasLongList
    }
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
    let returning: MemoryReturning?
}

/// A planned DELETE.
struct MemoryDelete: Sendable {
    let table: Int
    let condition: MemoryCondition
    let returning: MemoryReturning?
}

/// A planned RETURNING clause.
struct MemoryReturning: Sendable {
    let names: [String]
    let outputs: [BoundExpression]
}

/// A statement made ready: names found, expressions bound, the way to the rows chosen. It is good for one version of
/// the schema, and for any parameters.
final class MemoryPlan: Sendable {
    enum Kind: Sendable {
        case select(MemorySelect)
        case insert(MemoryInsert)
        case update(MemoryUpdate)
        case delete(table: Int, MemoryCondition)
        /// A statement about tables, which is read as it stands.
        case definition(SQLStatement.Kind)
    }

    let kind: Kind
    let parameterCount: Int
    let schemaVersion: Int

    /// True when it only reads.
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

/// What a transaction changed, told after it was committed.
public struct StoreChange: Hashable, Sendable {
    /// The tables whose rows or columns are, or may be, different now; those that were made or dropped included, and
    /// those of this project, whose names start with `patchbay_`, left out.
    public let tables: Set<SQLIdentifier>

    /// A change of some tables.
    public init(tables: Set<SQLIdentifier>) { self.tables = tables }
}

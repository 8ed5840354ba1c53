/// Which tables a delta is for, and what is to be in them.
public struct DeltaTarget: Hashable, Sendable {
    /// The tables as they should be. Each has a primary key, by which its rows are found.
    public let tables: [TableSchema]
    /// What the rows depend on.
    public let binding: DeltaBinding
    /// True to pass over columns of a row that its table has not; default false, which is an error.
    public var ignoresUnknownColumns = false
    /// True when the server sends the rows again that have something in a column added to a table. Default false: then
    /// an added column makes the table load anew.
    public var backfillsAddedColumns = false

    /// A target.
    /// - Throws: `StoreError` (`invalidArgument`) when there is no table, when two have the same name, when one has no
    ///   primary key or a name that starts with `patchbay_`, or when a declared type is more than the name of a type.
    public init(tables: [TableSchema], binding: DeltaBinding) throws(StoreError) {
        guard !tables.isEmpty, Set(tables.map(\.name)).count == tables.count else {
            throw StoreError(.invalidArgument, "A delta needs tables, each with a name of its own.")
        }
        for table in tables {
            guard !table.primaryKey.isEmpty else {
                throw StoreError(.invalidArgument, "The table \(table.name) needs a primary key to find its rows by.")
            }
            guard !table.name.isReserved else {
                throw StoreError(.invalidArgument, "The name \(table.name) is reserved: it starts with patchbay_.")
            }
            _ = try table.createStatement()
        }
        self.tables = tables
        self.binding = binding
    }
}

extension TableSchema {
    /// The same table under the name in which it is loaded before it takes the place of the other.
    func shadow() throws(StoreError) -> TableSchema {
        try TableSchema(
            SQLIdentifier(SQLIdentifier.reservedPrefix + "shadow_" + name.text), columns: columns,
            primaryKey: primaryKey)
    }

    /// A text that is the same for tables that can hold the same rows: the order of the columns does not count, nor the
    /// case in which types are written.
    var signature: String {
        let columns = columns.map { column in
            SQLIdentifier(column.name.text.lowercased()).quoted
                + " \(column.declaredType.uppercased())\(column.isNotNull ? "!" : "")"
        }
        return columns.sorted().joined(separator: ",") + "/"
            + primaryKey.map { SQLIdentifier($0.text.lowercased()).quoted }.joined(separator: ",")
    }
}

public import StoreCore

/// Tables that deltas are applied to, and the binding of their rows.
public struct DeltaTarget: Hashable, Sendable {
    /// The desired schemas; each needs a primary key.
    public let tables: [TableSchema]
    /// Identity of the data.
    public let binding: DeltaBinding
    /// True to skip columns that a table does not have; default false, which throws `unknownColumn`.
    public var ignoresUnknownColumns = false
    /// True when the server resends the rows that have values in an added column. Default false: an added column then
    /// causes a full load.
    public var backfillsAddedColumns = false

    /// Creates a target.
    /// - Throws: `StoreError` (`invalidArgument`) when there are no tables, when two have the same name, when one has
    ///   no primary key or a name that starts with `patchbay_`, or when a declared type is more than a type name.
    public init(tables: [TableSchema], binding: DeltaBinding) throws(StoreError) {
        if let table = tables.first(where: \.primaryKey.isEmpty) {
            throw StoreError(.invalidArgument, "Table \(table.name) has no primary key; a delta target needs one.")
        }
        try self.init(replacing: tables, binding: binding)
    }

    /// Creates a target for full loads only: its tables need no primary key.
    /// - Throws: what ``init(tables:binding:)`` throws.
    package init(replacing tables: [TableSchema], binding: DeltaBinding) throws(StoreError) {
        guard !tables.isEmpty, Set(tables.map(\.name)).count == tables.count else {
            throw StoreError(
                .invalidArgument, "Invalid delta target: it needs at least one table, and table names must be unique.")
        }
        for table in tables {
            guard !table.name.isReserved else {
                throw StoreError(
                    .invalidArgument, "Table name \(table.name) is reserved; choose one without the prefix patchbay_.")
            }
            _ = try table.createStatement()
        }
        self.tables = tables
        self.binding = binding
    }
}

extension TableSchema {
    /// The same schema under the name of its shadow table.
    func shadow() throws(StoreError) -> TableSchema {
        try TableSchema(name.shadow, columns: columns, primaryKey: primaryKey)
    }
}

extension SQLIdentifier {
    /// The name of a table's shadow table.
    var shadow: SQLIdentifier { SQLIdentifier(Self.reservedPrefix + "shadow_" + text) }
}

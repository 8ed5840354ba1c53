import StoreCore

/// Schema of a resource: its input parameters and its output tables.
public struct HyperHiveResource: Hashable, Sendable {
    /// Column of an input or output table.
    public struct Column: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The type in the local database.
        public let type: ColumnType

        /// Creates a column.
        public init(_ name: String, _ type: ColumnType) {
            self.name = name
            self.type = type
        }
    }

    /// Type of a column in the local database.
    public enum ColumnType: String, Hashable, Sendable {
        /// Text; also dates, times and types that are unknown.
        case text = "TEXT"
        /// 64-bit integer.
        case bigint = "BIGINT"
        /// Floating point number.
        case double = "DOUBLE"
    }

    /// Input or output table.
    public struct Table: Hashable, Sendable {
        /// The name, without the resource's.
        public let name: String
        /// The columns, in the order of the cells of a row.
        public let columns: [Column]

        /// Creates a table.
        public init(_ name: String, columns: [Column]) {
            self.name = name
            self.columns = columns
        }
    }

    /// Name of the column that identifies the rows of a cached resource.
    public static let identityColumn = "hhive_id"

    /// The name.
    public let name: String
    /// Cache lifetime of the rows on the server, such as `1 day, 0:00:00`.
    ///
    /// Nil when the server does not cache them, so there are no deltas.
    public let lifetime: String?
    /// Names of the scalar input parameters.
    public let scalarInputs: [String]
    /// The table input parameters.
    public let tableInputs: [Table]
    /// The output tables, without ``identityColumn`` unless the server lists it.
    public let outputs: [Table]

    /// Creates a resource.
    public init(
        _ name: String, lifetime: String? = nil, scalarInputs: [String] = [], tableInputs: [Table] = [],
        outputs: [Table] = []
    ) {
        self.name = name
        self.lifetime = lifetime
        self.scalarInputs = scalarInputs
        self.tableInputs = tableInputs
        self.outputs = outputs
    }

    /// True when the server caches the rows, so that deltas exist.
    public var isCached: Bool { lifetime != nil }

    /// Returns the schema of an output table in the local database.
    ///
    /// A cached resource's table has ``identityColumn`` as its primary key: first, or where the server lists it. As an
    /// `INTEGER PRIMARY KEY` it is SQLite's rowid, which needs no index of its own.
    /// - Parameter localName: its name there.
    /// - Throws: `StoreError` (`invalidArgument`) when the columns' names do not make a table.
    func localSchema(of table: Table, named localName: SQLIdentifier) throws(StoreError) -> TableSchema {
        var columns = table.columns.map { TableSchema.Column(SQLIdentifier($0.name), $0.type.rawValue) }
        guard isCached else { return try TableSchema(localName, columns: columns) }
        let identity = TableSchema.Column(SQLIdentifier(Self.identityColumn), "INTEGER")
        if let index = columns.firstIndex(where: { $0.name == identity.name }) {
            if table.columns[index].type == .bigint {
                columns[index] = TableSchema.Column(columns[index].name, identity.declaredType)
            }
        } else {
            columns.insert(identity, at: 0)
        }
        return try TableSchema(localName, columns: columns, primaryKey: [identity.name])
    }
}

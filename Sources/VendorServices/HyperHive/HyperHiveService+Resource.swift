public import HTTPMessages

extension HyperHiveService {
    /// The type of a column or scalar.
    public enum ColumnType: Hashable, Sendable {
        /// Text; also dates and times.
        case text
        /// 64-bit integer.
        case bigint
        /// Floating point number.
        case double
        /// Another type, with its name in the schema; cells may be any JSON value.
        case other(String)
    }

    /// A column of an input or output table.
    public struct Column: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The type.
        public let type: ColumnType

        /// Creates a column.
        public init(_ name: String, _ type: ColumnType = .text) {
            self.name = name
            self.type = type
        }
    }

    /// A scalar input parameter.
    public struct ScalarInput: Hashable, Sendable {
        /// Name and type.
        public let column: Column
        /// The value when a request lacks the parameter; default null.
        public let defaultValue: JSONValue

        /// Creates a parameter.
        public init(_ name: String, _ type: ColumnType = .text, defaultValue: JSONValue = nil) {
            column = Column(name, type)
            self.defaultValue = defaultValue
        }
    }

    /// A table input parameter; a request that lacks it passes no rows.
    public struct TableInput: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The columns, in the order of a row's cells.
        public let columns: [Column]

        /// Creates a parameter.
        public init(_ name: String, _ columns: [Column]) {
            self.name = name
            self.columns = columns
        }
    }

    /// An output table with its first content.
    public struct Table: Sendable {
        enum Source: Sendable {
            case rows([[JSONValue]])
            case generated(count: Int, seed: UInt64)
        }

        /// The name.
        public let name: String
        /// The columns, in the order of a row's cells, without `hhive_id`.
        public let columns: [Column]
        let source: Source

        /// Creates a table with rows in memory; a row needs a cell for each column.
        public init(_ name: String, _ columns: [Column], rows: [[JSONValue]] = []) {
            self.name = name
            self.columns = columns
            source = .rows(rows)
        }

        /// Creates a table whose rows are computed when they are sent; equal seeds give equal rows.
        ///
        /// A first column of type ``ColumnType/bigint`` numbers the rows from 1. Of the other cells some are null.
        /// - Parameters:
        ///   - count: number of rows, 0 to 10⁹; other numbers are limited to that.
        ///   - seed: seed of the cells and of later changes.
        public init(_ name: String, _ columns: [Column], generated count: Int, seed: UInt64 = 1) {
            self.name = name
            self.columns = columns
            source = .generated(count: min(max(0, count), GeneratedRows.idsPerChange), seed: seed)
        }
    }

    /// A resource of the server.
    public struct Resource: Sendable {
        /// The rows that a changing resource inserts, replaces and deletes.
        struct Effect {
            let resource: String
            let table: String
            let key: String
        }

        /// The name.
        public var name: String
        /// How long the source's rows are cached; nil for a resource without versions and `hhive_id`. The server only
        /// states it.
        public var lifetime: Duration?
        /// Scalar input parameters.
        public var scalars: [ScalarInput]
        /// Table input parameters.
        public var tableInputs: [TableInput]
        /// Output tables.
        public var tables: [Table]
        /// Whether a request without a transaction id that repeats one with a lost response gets 409.
        ///
        /// Default false, and true for ``crud(_:changing:table:key:)``.
        public var refusesRepeats = false
        /// Whether the schema lists `hhive_id` among the columns of a cached resource; default false.
        public var listsIdentity = false
        /// Whether the schema has the output as one object instead of a list; default false. Then only the first table.
        public var hasSingleOutput = false
        /// Selects the rows for the input parameters; nil for all.
        public var matches: (@Sendable (_ inputs: Inputs, _ table: String, _ row: [JSONValue]) -> Bool)?
        var effect: Effect?

        /// Creates a resource.
        /// - Parameters:
        ///   - lifetime: nil for a resource that is not cached.
        ///   - matches: selects the rows for the input parameters; called with a row's cells, without `hhive_id`.
        public init(
            _ name: String, lifetime: Duration? = .seconds(86_400), scalars: [ScalarInput] = [],
            tableInputs: [TableInput] = [], tables: [Table],
            matches: (@Sendable (_ inputs: Inputs, _ table: String, _ row: [JSONValue]) -> Bool)? = nil
        ) {
            self.name = name
            self.lifetime = lifetime
            self.scalars = scalars
            self.tableInputs = tableInputs
            self.tables = tables
            self.matches = matches
        }

        var isCached: Bool { lifetime != nil }
    }
}

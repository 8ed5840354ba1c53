/// Schema of a table: its name, columns and primary key.
///
/// ```swift
/// let jacks = try TableSchema(
///     "jack", columns: [.init("id", "INTEGER"), .init("label", "TEXT", isNotNull: true)], primaryKey: ["id"])
/// try store.createTable(jacks)
/// ```
public struct TableSchema: Hashable, Sendable {
    /// Column of a table.
    public struct Column: Hashable, Sendable {
        /// The column's name.
        public let name: SQLIdentifier
        /// The declared type, such as `VARCHAR(20)`; empty when none was declared.
        public let declaredType: String
        /// True for a NOT NULL column.
        public let isNotNull: Bool

        /// Creates a column.
        /// - Parameters:
        ///   - declaredType: the type name: words, then at most two numbers in parentheses; default none.
        ///   - isNotNull: true for NOT NULL; default false.
        public init(_ name: SQLIdentifier, _ declaredType: String = "", isNotNull: Bool = false) {
            self.name = name
            self.declaredType = declaredType
            self.isNotNull = isNotNull
        }

        /// The type affinity of the column.
        public var affinity: ColumnAffinity { ColumnAffinity(declaredType: declaredType) }
    }

    /// The table's name.
    public let name: SQLIdentifier
    /// The columns, in order; at least one.
    public let columns: [Column]
    /// The columns of the primary key, in key order; empty when the table has none.
    public let primaryKey: [SQLIdentifier]

    /// Creates a schema.
    /// - Throws: `StoreError` (`invalidArgument`) when a name is empty or contains NUL, when there are no columns, when
    ///   two columns have the same name, or when the key names an unknown column or one column twice.
    public init(
        _ name: SQLIdentifier, columns: [Column], primaryKey: [SQLIdentifier] = []
    ) throws(StoreError) {
        func invalid(_ reason: String) -> StoreError {
            StoreError(.invalidArgument, "Invalid schema of table \(name.text): \(reason).")
        }
        guard name.isValid else {
            throw StoreError(.invalidArgument, "Invalid table name: it is empty or contains NUL.")
        }
        guard !columns.isEmpty else { throw invalid("no columns") }
        guard columns.allSatisfy(\.name.isValid) else { throw invalid("a column name is empty or contains NUL") }
        let names = Set(columns.map(\.name))
        guard names.count == columns.count else { throw invalid("duplicate column name") }
        guard Set(primaryKey).count == primaryKey.count, names.isSuperset(of: primaryKey) else {
            throw invalid("the primary key names an unknown column, or one column twice")
        }
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
    }

    /// The index of a column, from 0; nil when no column has that name.
    public func index(of column: SQLIdentifier) -> Int? { columns.firstIndex { $0.name == column } }

    /// A name of the rowid that no column has; nil when columns have all of them.
    package var rowidName: String? { ["rowid", "_rowid_", "oid"].first { index(of: SQLIdentifier($0)) == nil } }

    /// Returns the `CREATE TABLE` statement.
    /// - Throws: `StoreError` (`invalidArgument`) when a declared type is more than a type name, such as
    ///   `INTEGER PRIMARY KEY`.
    public func createStatement() throws(StoreError) -> String {
        var parts: [String] = []
        for column in columns {
            guard Self.isTypeName(column.declaredType) else {
                throw StoreError(
                    .invalidArgument,
                    "Invalid type of column \(name.text).\(column.name.text): use a type name without constraints."
                )
            }
            let type = column.declaredType.isEmpty ? "" : " " + column.declaredType
            parts.append(column.name.quoted + type + (column.isNotNull ? " NOT NULL" : ""))
        }
        if !primaryKey.isEmpty {
            parts.append("PRIMARY KEY (" + primaryKey.map(\.quoted).joined(separator: ", ") + ")")
        }
        return "CREATE TABLE \(name.quoted) (" + parts.joined(separator: ", ") + ")"
    }

    /// Keywords of a column definition that cannot be part of a type name.
    private static let keywords: Set<String> = [
        "AS", "ALWAYS", "AUTOINCREMENT", "CHECK", "COLLATE", "CONSTRAINT", "DEFAULT", "FOREIGN", "GENERATED", "KEY",
        "NOT", "NULL", "ON", "PRIMARY", "REFERENCES", "UNIQUE",
    ]

    /// Matches `type-name` (sqlite.org/syntax/type-name.html): words, then one or two numbers in parentheses.
    private static func isTypeName(_ text: String) -> Bool {
        let parts = text.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
        let words = parts[0].split(separator: " ")
        let isWord = { (word: Substring) in
            word.utf8.first.map { !(48...57).contains($0) } == true
                && word.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
                && !keywords.contains(word.uppercased())
        }
        guard words.allSatisfy(isWord) else { return false }
        guard parts.count == 2 else { return true }
        guard !words.isEmpty, parts[1].last == ")" else { return false }
        let numbers = parts[1].dropLast().split(separator: ",", omittingEmptySubsequences: false)
        return numbers.count <= 2
            && numbers.allSatisfy { number in
                let words = number.split(separator: " ")
                return words.count == 1 && words[0].utf8.allSatisfy(isDigit)
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}

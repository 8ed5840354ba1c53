/// What a table is made of.
///
/// ```swift
/// let jacks = try TableSchema(
///     "jack", columns: [.init("id", "INTEGER"), .init("label", "TEXT", isNotNull: true)], primaryKey: ["id"])
/// try store.create(jacks)
/// ```
public struct TableSchema: Hashable, Sendable {
    /// A column of a table.
    public struct Column: Hashable, Sendable {
        /// The column's name.
        public let name: SQLIdentifier
        /// The type as it was declared, such as `VARCHAR(20)`; empty when there is none.
        public let declaredType: String
        /// True when the column refuses null.
        public let isNotNull: Bool

        /// A column.
        /// - Parameters:
        ///   - declaredType: the type's name, words and at most two numbers in brackets; default none.
        ///   - isNotNull: true to refuse null; default false.
        public init(_ name: SQLIdentifier, _ declaredType: String = "", isNotNull: Bool = false) {
            self.name = name
            self.declaredType = declaredType
            self.isNotNull = isNotNull
        }

        /// What the column makes of the values stored in it.
        public var affinity: ColumnAffinity { ColumnAffinity(declaredType: declaredType) }
    }

    /// The table's name.
    public let name: SQLIdentifier
    /// The columns in their order; at least one.
    public let columns: [Column]
    /// The columns of the primary key, in the key's order; empty when there is none.
    public let primaryKey: [SQLIdentifier]

    /// A table's description.
    /// - Throws: `StoreError` (`invalidArgument`) when a name is empty or holds NUL, when there is no column, when two
    ///   have the same name, or when the key names a column that is not there or names one twice.
    public init(
        _ name: SQLIdentifier, columns: [Column], primaryKey: [SQLIdentifier] = []
    ) throws(StoreError) {
        func fault(_ text: String) -> StoreError { StoreError(.invalidArgument, "The table \(name.text) \(text).") }
        guard name.isValid else { throw StoreError(.invalidArgument, "A table's name is empty or holds NUL.") }
        guard !columns.isEmpty else { throw fault("has no columns") }
        guard columns.allSatisfy(\.name.isValid) else { throw fault("has a column whose name is empty or holds NUL") }
        let names = Set(columns.map(\.name))
        guard names.count == columns.count else { throw fault("has two columns of the same name") }
        guard Set(primaryKey).count == primaryKey.count, names.isSuperset(of: primaryKey) else {
            throw fault("has a primary key that names a column twice, or one that is not there")
        }
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
    }

    /// The place of a column, from 0; nil when there is none of that name.
    public func index(of column: SQLIdentifier) -> Int? { columns.firstIndex { $0.name == column } }

    /// The statement that makes the table.
    /// - Throws: `StoreError` (`invalidArgument`) when a declared type is more than a type's name, such as
    ///   `INTEGER PRIMARY KEY`.
    public func createStatement() throws(StoreError) -> String {
        var parts: [String] = []
        for column in columns {
            guard Self.isTypeName(column.declaredType) else {
                throw StoreError(
                    .invalidArgument,
                    "The column \(name.text).\(column.name.text) is declared with more than the name of a type.")
            }
            let type = column.declaredType.isEmpty ? "" : " " + column.declaredType
            parts.append(column.name.quoted + type + (column.isNotNull ? " NOT NULL" : ""))
        }
        if !primaryKey.isEmpty {
            parts.append("PRIMARY KEY (" + primaryKey.map(\.quoted).joined(separator: ", ") + ")")
        }
        return "CREATE TABLE \(name.quoted) (" + parts.joined(separator: ", ") + ")"
    }

    /// Words of a column's definition that are no part of a type's name.
    private static let keywords: Set<String> = [
        "AS", "ALWAYS", "AUTOINCREMENT", "CHECK", "COLLATE", "CONSTRAINT", "DEFAULT", "FOREIGN", "GENERATED", "KEY",
        "NOT", "NULL", "ON", "PRIMARY", "REFERENCES", "UNIQUE",
    ]

    /// The grammar's `type-name`: words, then one or two numbers in brackets (sqlite.org/syntax/type-name.html).
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

import LocalStore

/// Columns and primary key of a table, which are stored as text with the version of its rows.
///
/// The order of the columns counts: the cells of rows may be positional. Letter case does not.
struct TableSignature: Hashable, Sendable {
    /// Names with types.
    private let columns: [String]
    private let key: [String]

    init(_ schema: TableSchema) {
        columns = schema.columns.map {
            "\(Self.folded($0.name)) \($0.declaredType.uppercased())\($0.isNotNull ? "!" : "")"
        }
        key = schema.primaryKey.map(Self.folded)
    }

    private static func folded(_ name: SQLIdentifier) -> String { SQLIdentifier(name.text.lowercased()).quoted }

    // MARK: Text

    /// Reads ``text``; nil for another form, such as that of an earlier release, in which the order was lost.
    init?(text: String) {
        guard let elements = LengthPrefixedList.elements(text), let count = elements.first.flatMap({ Int($0) }),
            (0..<elements.count).contains(count)
        else { return nil }
        columns = Array(elements[1...count])
        key = Array(elements[(count + 1)...])
    }

    /// The columns and the key as text.
    var text: String { LengthPrefixedList.text(["\(columns.count)"] + columns + key) }

    // MARK: Comparison

    /// True when rows of this signature are also rows of another one, whose columns may lack some of these.
    /// - Parameter allowsAdditions: true when the other one may also have further columns.
    func isValid(for other: TableSignature, allowsAdditions: Bool) -> Bool {
        let (own, others) = (Set(columns), Set(other.columns))
        // In another order, the cells were stored in the wrong columns.
        return key == other.key && columns.filter(others.contains) == other.columns.filter(own.contains)
            && (allowsAdditions || others.isSubset(of: own))
    }

    /// True when a table has all of these columns, in any order.
    func isContained(in table: TableSchema) -> Bool { Set(columns).isSubset(of: TableSignature(table).columns) }

    /// True when one of these columns is among others.
    func contains(anyOf others: [TableSchema.Column]) -> Bool {
        let names = Set(others.map { Self.folded($0.name) })
        return columns.contains { column in names.contains { column.hasPrefix($0 + " ") } }
    }
}

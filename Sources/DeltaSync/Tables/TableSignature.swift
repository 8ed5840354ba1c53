import StoreCore

/// Columns and primary key of a table, which are stored as text with the version of its rows.
///
/// The order of the columns counts: the cells of rows may be positional. Letter case does not.
struct TableSignature: Hashable, Sendable {
    /// Names with types.
    private var columns: [String]
    private var key: [String]
    /// Names of the columns that the server no longer has, and the table still does.
    private var removed: [String] = []

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
        guard let elements = LengthPrefixedList.elements(text), elements.count >= 2, let columnCount = Int(elements[0]),
            let keyCount = Int(elements[1]), columnCount > 0, keyCount >= 0, keyCount <= columnCount,
            elements.count - 2 - keyCount >= columnCount
        else { return nil }
        columns = Array(elements[2...][..<(2 + columnCount)])
        key = Array(elements[(2 + columnCount)...].prefix(keyCount))
        removed = Array(elements[(2 + columnCount + keyCount)...])
    }

    /// The columns and the key as text.
    var text: String { LengthPrefixedList.text(["\(columns.count)", "\(key.count)"] + columns + key + removed) }

    // MARK: Comparison

    /// True for the same columns in the same order, and the same key.
    func matches(_ other: TableSignature) -> Bool { columns == other.columns && key == other.key }

    /// Returns another signature for the same rows, whose columns may lack some of these; nil when the rows are not
    /// valid for it.
    /// - Parameter allowsAdditions: true when the other one may also have further columns.
    func changed(to other: TableSignature, allowsAdditions: Bool) -> TableSignature? {
        let (own, others) = (Set(columns), Set(other.columns))
        // In another order, the cells were stored in the wrong columns.
        guard key == other.key, columns.filter(others.contains) == other.columns.filter(own.contains),
            allowsAdditions || others.isSubset(of: own)
        else { return nil }
        var other = other
        let names = columns.filter { !others.contains($0) }.map(Self.name) + removed
        other.removed = names.filter { !other.names.contains($0) }
        return other
    }

    /// True when a table has all of these columns, in any order.
    func isContained(in table: TableSchema) -> Bool { Set(columns).isSubset(of: TableSignature(table).columns) }

    /// True for a column of the server, also for one that it no longer has.
    func contains(_ column: SQLIdentifier) -> Bool {
        let name = Self.folded(column)
        return removed.contains(name) || names.contains(name)
    }

    /// True for a column that the server no longer has.
    func lacks(_ column: SQLIdentifier) -> Bool { removed.contains(Self.folded(column)) }

    private var names: [String] { columns.map(Self.name) }

    /// The name in a column, which may contain spaces, unlike its type's last word; types have no quotes.
    private static func name(_ column: String) -> String {
        String(column[...(column.lastIndex(of: "\"") ?? column.startIndex)])
    }
}

extension StoreRow {
    /// The index of a column by its name, ignoring the case of ASCII letters; nil when there is none.
    ///
    /// Of several columns with that name it is the first one. In a loop over many rows, look it up once.
    public func index(of column: String) -> Int? { Self.index(of: column, in: columnNames) }

    /// A copy of a cell by its column's name; null when there is no such column.
    public subscript(column: String) -> StoreValue { index(of: column).map { value(at: $0) } ?? .null }

    /// The index of the first column with a name.
    static func index(of column: String, in names: [String]) -> Int? {
        let count = column.utf8.count
        return names.firstIndex { $0.utf8.count == count && SQLIdentifier($0) == SQLIdentifier(column) }
    }
}

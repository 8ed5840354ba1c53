/// The columns of a result set by key; each key is looked up once.
///
/// A type asks for its keys in the same order in each row. So the keys are listed in the order of the first row, and
/// the next one is predicted: it is usually the very same string, which compares at once.
struct ColumnIndex {
    private struct Entry {
        let key: String
        /// Nil when the result set has no such column.
        let column: Int?
    }

    /// There is no current row.
    struct NoRow: Error {}

    /// True while there is a current row.
    private(set) var isActive = false
    private(set) var names: [String] = []
    /// The number of columns that have a name and a cell.
    private(set) var count = 0
    let keys: StoreCoding.Keys
    private var entries: ContiguousArray<Entry> = []
    /// Index in `entries` by key.
    private var indexes: [String: Int] = [:]
    /// The predicted index in `entries`.
    private var next = 0

    init(_ keys: StoreCoding.Keys) { self.keys = keys }

    /// Prepares for a row's keys. Columns that differ from those of the last row are looked up again.
    @inline(__always)
    mutating func beginRow(_ columnNames: [String], columnCount: Int) {
        next = 0
        isActive = true
        if columnNames != names || min(columnNames.count, columnCount) != count {
            begin(columnNames, columnCount: columnCount)
        }
    }

    @inline(never)
    private mutating func begin(_ columnNames: [String], columnCount: Int) {
        self = ColumnIndex(keys)
        isActive = true
        names = columnNames
        count = min(columnNames.count, columnCount)
    }

    /// Ends a row: then no key has a column.
    mutating func endRow() {
        isActive = false
        next = .max
    }

    /// The index of a key's column; nil when there is none.
    /// - Throws: ``NoRow`` between rows.
    @inline(__always)
    mutating func column(_ key: String) throws(NoRow) -> Int? {
        guard next < entries.count, entries[next].key == key else { return try unpredictedColumn(key) }
        next += 1
        return entries[next - 1].column
    }

    @inline(never)
    private mutating func unpredictedColumn(_ key: String) throws(NoRow) -> Int? {
        guard isActive else { throw NoRow() }
        // A key that is asked for twice in a row, as by contains(_:) before decode(_:forKey:).
        if next > 0, entries[next - 1].key == key { return entries[next - 1].column }
        let index = indexes[key] ?? append(key)
        next = index + 1
        return entries[index].column
    }

    private mutating func append(_ key: String) -> Int {
        let column = StoreRow.index(of: keys.columnName(of: key), in: names).flatMap { $0 < count ? $0 : nil }
        entries.append(Entry(key: key, column: column))
        indexes[key] = entries.count - 1
        return entries.count - 1
    }
}

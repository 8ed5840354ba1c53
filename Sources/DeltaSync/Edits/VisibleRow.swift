import StoreCore

/// Reading and writing a row of a table by its key.
extension LocalStore {
    /// The row with a key; nil without one.
    func cells(of table: SQLIdentifier, key: ColumnValues) throws -> ColumnValues? {
        let key = key.sorted { $0.key.text < $1.key.text }
        var cells: ColumnValues?
        try query(
            "SELECT * FROM \(table.quoted) WHERE \(key.map { "\($0.key.quoted) = ?" }.joined(separator: " AND "))",
            key.map(\.value)
        ) { row in
            var found = ColumnValues()
            for (index, name) in row.columnNames.enumerated() { found[SQLIdentifier(name)] = row.value(at: index) }
            cells = found
            return false
        }
        return cells
    }

    /// Makes a row what it shall be: inserts, updates or deletes it.
    /// - Parameters:
    ///   - wanted: the cells; nil to delete it. Those of other columns than the table's are left out.
    ///   - columns: the columns that are changed in a row that exists; nil for all.
    func setCells(
        _ wanted: ColumnValues?, of table: TableSchema, key: ColumnValues,
        changing columns: ((SQLIdentifier) -> Bool)? = nil
    ) throws {
        let current = try cells(of: table.name, key: key)
        guard let wanted else {
            if current != nil { try delete(Self.batch(key), from: table.name) }
            return
        }
        var cells = wanted.filter { table.index(of: $0.key) != nil }
        guard let current else {
            try insert(Self.batch(cells), into: table.name)
            return
        }
        cells = cells.filter { current[$0.key] != $0.value && (columns?($0.key) ?? true) }
        guard !cells.isEmpty else { return }
        let (changes, keys) = (Array(cells), Array(key))
        try execute(
            "UPDATE \(table.name.quoted) SET \(changes.map { "\($0.key.quoted) = ?" }.joined(separator: ", ")) "
                + "WHERE \(keys.map { "\($0.key.quoted) = ?" }.joined(separator: " AND "))",
            changes.map(\.value) + keys.map(\.value))
    }

    /// The same, within a transaction of its own.
    /// - Returns: false if the table does not allow the row.
    func trySetCells(
        _ wanted: ColumnValues?, of table: TableSchema, key: ColumnValues,
        changing columns: ((SQLIdentifier) -> Bool)? = nil
    ) throws -> Bool {
        do {
            try transaction { try setCells(wanted, of: table, key: key, changing: columns) }
            return true
        } catch let error as StoreError where [.constraint, .noSuchColumn].contains(error.code) {
            return false
        }
    }

    private static func batch(_ cells: ColumnValues) throws -> RowBatch {
        let cells = Array(cells)
        var batch = try RowBatch(columns: cells.map(\.key))
        try batch.append(cells.map(\.value))
        return batch
    }
}

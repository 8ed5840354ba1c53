import StoreCore

/// The rows with edits of a target, during one delta: their operations change the server's rows, not the tables.
struct EditOverlay {
    private let edits: EditTables
    private let schemas: [TableSchema]
    /// For each table the numbers of the stored rows by their keys.
    private let keys: [[String: [Int64]]]
    /// The rows to store, and as they were.
    private var rows: [Int64: (row: EditedRow, old: EditedRow)] = [:]

    /// Nil if no row of the target has edits.
    /// - Parameter version: the version that the delta was requested from.
    init?(_ tables: DeltaTables, requestedAt version: String?) throws {
        edits = EditTables(store: tables.store)
        schemas = tables.target.tables
        guard try edits.exist else { return nil }
        let binding = tables.target.binding.text
        keys = try schemas.map { [edits] in try edits.keys(of: $0.name, binding: binding) }
        guard keys.contains(where: { !$0.isEmpty }) else { return nil }
        let sent = try edits.rowsWithSentEdits()
        guard !sent.isEmpty else { return }
        for numbers in keys.flatMap(\.values) where !sent.isDisjoint(with: numbers) {
            try change(numbers[0]) { $0.removeSent(before: version, count: tables.sentCount) }
        }
    }

    /// Takes the operations on rows with edits out of a batch.
    /// - Returns: the others.
    mutating func take(_ batch: RowBatch, areDeletions: Bool, table: Int) throws -> RowBatch {
        guard !keys[table].isEmpty else { return batch }
        let schema = schemas[table]
        let keyColumns = schema.primaryKey.compactMap { batch.columns.firstIndex(of: $0) }
        var rest: RowBatch?
        for index in 0..<batch.rowCount {
            let key = Self.cells(batch, index, keyColumns).key(of: schema)
            guard let key, let numbers = keys[table][key.text] else {
                try rest?.append(batch.columns.indices.map { batch.value(row: index, column: $0) })
                continue
            }
            if rest == nil {
                // The first one: those before it are no such rows.
                var others = try RowBatch(columns: batch.columns)
                for other in 0..<index {
                    try others.append(batch.columns.indices.map { batch.value(row: other, column: $0) })
                }
                rest = others
            }
            let cells = Self.cells(batch, index, Array(batch.columns.indices)).stored(in: schema)
            try change(numbers[0]) { row in
                row.server = areDeletions ? nil : (row.server ?? [:]).merging(cells) { $1 }
            }
        }
        return rest ?? batch
    }

    /// Stores the rows, and writes what the app sees of them.
    func finish() throws {
        guard let pending = try PendingEdits.existing(in: edits.store) else { return }
        for (row, old) in rows.values.sorted(by: { $0.row.number < $1.row.number }) {
            try edits.put(row, replacing: old)
            try pending.show(row)
        }
    }

    private mutating func change(_ number: Int64, _ body: (inout EditedRow) -> Void) throws {
        guard let old = try rows[number]?.old ?? edits.row(number) else { return }
        var row = rows[number]?.row ?? old
        body(&row)
        rows[number] = (row, old)
    }

    private static func cells(_ batch: RowBatch, _ row: Int, _ columns: [Int]) -> ColumnValues {
        var cells = ColumnValues()
        for column in columns { cells[batch.columns[column]] = batch.value(row: row, column: column) }
        return cells
    }
}

extension DeltaTables {
    /// Puts the edits of a table on top of the rows of a full load, in its shadow table.
    ///
    /// One that violates a constraint of the new table waits without being seen.
    /// - Parameter version: the version that the load was requested from.
    func keepEdits(of table: TableSchema, in shadow: TableSchema, requestedAt version: String?) throws {
        let edits = EditTables(store: store)
        guard try edits.exist, let shadow = try store.schema(of: shadow.name) else { return }
        for old in try edits.rows(of: table.name, binding: target.binding.text) {
            var row = old
            row.binding = target.binding.text
            row.removeSent(before: version, count: sentCount)
            // Another key: the edit waits without being seen, and is sent as it is.
            guard let key = row.key.key(of: shadow), key.count == row.key.count else { continue }
            row.key = key
            // The app's columns have no values yet.
            let found = try store.cells(of: shadow.name, key: row.key)?.filter { table.index(of: $0.key) != nil }
            row.server = found.map { (row.server ?? [:]).merging($0) { $1 } }
            try edits.put(row, replacing: old)
            let visible = row.visible?.filter { table.index(of: $0.key) != nil }
            _ = try store.trySetCells(visible, of: shadow, key: row.key)
        }
    }
}

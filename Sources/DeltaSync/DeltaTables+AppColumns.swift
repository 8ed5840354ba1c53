import StoreCore

/// Columns that the app has added to a target's tables, which a full load keeps with their values.
///
/// Call mutating functions only inside a transaction.
extension DeltaTables {
    /// The columns of a table that the server neither has nor had.
    private func appColumns(of actual: TableSchema, _ table: TableSchema) throws -> [TableSchema.Column] {
        let surplus = actual.columns.filter { table.index(of: $0.name) == nil }
        guard !surplus.isEmpty else { return [] }
        let signature = try versions.entry(of: table.name).flatMap { TableSignature(text: $0.schema) }
        return surplus.filter { signature?.contains($0.name) != true }
    }

    /// The columns of a table that the server no longer has, which are null in new rows.
    func removedColumns(of table: TableSchema) throws -> [SQLIdentifier] {
        guard let actual = try store.schema(of: table.name), actual.columns.count > table.columns.count,
            let signature = try versions.entry(of: table.name).flatMap({ TableSignature(text: $0.schema) })
        else { return [] }
        return actual.columns.map(\.name).filter(signature.lacks)
    }

    /// Adds the app's columns of a table to its shadow table, which may have some of them.
    func addAppColumns(of table: TableSchema, to shadow: TableSchema) throws {
        guard let actual = try store.schema(of: table.name), let existing = try store.schema(of: shadow.name) else {
            return
        }
        let columns = try appColumns(of: actual, table).filter { existing.index(of: $0.name) == nil }
        guard !columns.isEmpty else { return }
        let defaults = try defaultValues(of: table.name)
        for column in columns {
            let value = defaults[column.name]
            // Without a default value, the rows of the load could not be inserted.
            let constraint = column.isNotNull && value != nil ? " NOT NULL" : ""
            let type = column.declaredType.isEmpty ? "" : " " + column.declaredType
            try store.execute(
                "ALTER TABLE \(shadow.name.quoted) ADD COLUMN \(column.name.quoted)\(type)\(constraint)"
                    + (value.map { " DEFAULT \($0)" } ?? ""), [])
        }
    }

    /// The default values of a table's columns, as SQL; none where the store cannot tell them.
    private func defaultValues(of table: SQLIdentifier) throws -> [SQLIdentifier: String] {
        var values: [SQLIdentifier: String] = [:]
        do {
            try store.query("PRAGMA table_info(\(table.quoted))", []) { row in
                if let name = row.text(at: 1), let value = row.text(at: 4) { values[SQLIdentifier(name)] = value }
                return true
            }
        } catch let error as StoreError where error.code == .unsupportedSQL { return [:] }
        return values
    }

    /// Copies the values of the app's columns to the rows with the same key in the shadow table.
    func copyAppValues(of table: TableSchema, to shadow: TableSchema) throws {
        guard let actual = try store.schema(of: table.name), !table.primaryKey.isEmpty,
            actual.primaryKey == table.primaryKey
        else { return }
        let columns = try appColumns(of: actual, table).map(\.name)
        guard !columns.isEmpty else { return }
        let selection = (table.primaryKey + columns).map(\.quoted).joined(separator: ", ")
        let condition = columns.map { "\($0.quoted) IS NOT NULL" }.joined(separator: " OR ")
        let query =
            "SELECT rowid, \(selection) FROM \(table.name.quoted) WHERE rowid > ? AND (\(condition)) "
            + "ORDER BY rowid LIMIT \(DeltaBuffer.maximumRowCount)"
        let update =
            "UPDATE \(shadow.name.quoted) SET \(columns.map { "\($0.quoted) = ?" }.joined(separator: ", ")) "
            + "WHERE \(table.primaryKey.map { "\($0.quoted) = ?" }.joined(separator: " AND "))"
        var last = StoreValue.integer(.min)
        while true {
            let rows = try store.rows(query, [last])
            for row in rows {
                let (key, values) = (row.dropFirst().prefix(table.primaryKey.count), row.suffix(columns.count))
                try store.execute(update, Array(values + key))
            }
            guard let end = rows.last?.first else { return }
            last = end
        }
    }
}

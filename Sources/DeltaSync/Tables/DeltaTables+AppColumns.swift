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

    /// The migration that a table needs. The app's columns may be NOT NULL if they have a default value, which new rows
    /// get.
    func drift(from actual: TableSchema, to table: TableSchema) throws -> SchemaDrift {
        let isSurplus = { (column: TableSchema.Column) in column.isNotNull && table.index(of: column.name) == nil }
        guard actual.columns.contains(where: isSurplus) else { return SchemaDrift(from: actual, to: table) }
        let (defaults, own) = (try defaultValues(of: actual.name), try appColumns(of: actual, table).map(\.name))
        let columns = actual.columns.map { column in
            isSurplus(column) && own.contains(column.name) && defaults[column.name] != nil
                ? TableSchema.Column(column.name, column.declaredType) : column
        }
        let usable = try TableSchema(actual.name, columns: columns, primaryKey: actual.primaryKey)
        return SchemaDrift(from: usable, to: table)
    }

    /// Adds the app's columns of a table to its shadow table, which may have some of them.
    func addAppColumns(of table: TableSchema, to shadow: TableSchema) throws {
        guard let actual = try store.schema(of: table.name), let existing = try store.schema(of: shadow.name) else {
            return
        }
        let columns = try appColumns(of: actual, table).filter { existing.index(of: $0.name) == nil }
        guard !columns.isEmpty else { return }
        let defaults = try defaultValues(of: table.name)
        for column in columns { try add(column, defaultValue: defaults[column.name], to: shadow) }
    }

    private func add(_ column: TableSchema.Column, defaultValue: String?, to shadow: TableSchema) throws {
        let type = column.declaredType.isEmpty ? "" : " " + column.declaredType
        let addition = "ALTER TABLE \(shadow.name.quoted) ADD COLUMN \(column.name.quoted)\(type)"
        if let defaultValue {
            // An expression needs the parentheses that `PRAGMA table_info` leaves out. A name, which is a text there,
            // may not have them.
            for value in ["(\(defaultValue))", defaultValue] {
                do {
                    return try store.transaction {
                        _ = try store.execute(
                            addition + (column.isNotNull ? " NOT NULL" : "") + " DEFAULT \(value)", [])
                    }
                } catch let error as StoreError where error.code != .interrupted {}
            }
        }
        // Without a default value, the rows of the load could not be inserted into a column that is NOT NULL. A table
        // with rows cannot get a default value that is not constant.
        try store.execute(addition, [])
    }

    /// The default values of a table's columns, as SQL: an expression without its parentheses. None where the store
    /// cannot tell them.
    func defaultValues(of table: SQLIdentifier) throws -> [SQLIdentifier: String] {
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
        // A NULL of the app's replaces a default value.
        let defaults = try defaultValues(of: shadow.name)
        let condition =
            columns.contains { defaults[$0] != nil }
            ? "" : " AND (" + columns.map { "\($0.quoted) IS NOT NULL" }.joined(separator: " OR ") + ")"
        // Without rowids there is one page, with the number 1.
        let rowid = try rowidName(of: actual)
        let query =
            "SELECT \(rowid ?? "1"), \(selection) FROM \(table.name.quoted) WHERE \(rowid ?? "1") >= ?\(condition) "
            + "ORDER BY 1 LIMIT \(rowid == nil ? -1 : DeltaBuffer.maximumRowCount)"
        let update =
            "UPDATE \(shadow.name.quoted) SET \(columns.map { "\($0.quoted) = ?" }.joined(separator: ", ")) "
            + "WHERE \(table.primaryKey.map { "\($0.quoted) = ?" }.joined(separator: " AND "))"
        var next = Int64.min
        while true {
            let rows = try store.rows(query, [.integer(next)])
            for row in rows {
                let (key, values) = (row.dropFirst().prefix(table.primaryKey.count), row.suffix(columns.count))
                try store.execute(update, Array(values + key))
            }
            guard case .integer(let last)? = rows.last?.first, last < .max else { return }
            next = last + 1
        }
    }

    /// The name of the rowid in statements; nil for a table WITHOUT ROWID, and when columns have all its names.
    private func rowidName(of table: TableSchema) throws -> String? {
        guard let name = table.rowidName else { return nil }
        do {
            _ = try store.rows("SELECT \(name) FROM \(table.name.quoted) LIMIT 0", [])
            return name
        } catch let error as StoreError where error.code == .noSuchColumn { return nil }
    }
}

import StoreCore
import SystemLibraries

extension SQLiteConnection {
    /// Returns the schema of a table; nil when no table has that name.
    mutating func schema(of table: SQLIdentifier) throws -> TableSchema? {
        guard table.isValid else { return nil }
        var name: String?
        let find = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE"
        try run(compiled(find), [.text(table.text)]) { row in
            name = row.text(at: 0)
            return false
        }
        guard let name else { return nil }
        var columns: [TableSchema.Column] = []
        var key: [(place: Int64, column: SQLIdentifier)] = []
        try run(compiled("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?)"), [.text(name)]) { row in
            let column = SQLIdentifier(row.text(at: 0) ?? "")
            columns.append(.init(column, row.text(at: 1) ?? "", isNotNull: row.int64(at: 2) != 0))
            if let place = row.int64(at: 3), place > 0 { key.append((place, column)) }
            return true
        }
        return try TableSchema(
            SQLIdentifier(name), columns: columns, primaryKey: key.sorted { $0.place < $1.place }.map(\.column))
    }

    /// SQLite's schema version, which increases with each schema change.
    mutating func schemaVersion() throws -> Int64? {
        var version: Int64?
        try run(compiled("PRAGMA schema_version")) { row in
            version = row.int64(at: 0)
            return true
        }
        return version
    }

    mutating func tableIdentifiers() throws -> Set<SQLIdentifier> {
        var names: Set<SQLIdentifier> = []
        try run(compiled("SELECT name FROM sqlite_master WHERE type = 'table'")) { row in
            names.insert(SQLIdentifier(row.text(at: 0) ?? ""))
            return true
        }
        return names
    }

    mutating func upsert(
        _ batch: RowBatch, into table: SQLIdentifier, _ protectedTables: ProtectedTables
    ) throws -> Int {
        let schema = try existing(table, with: batch.columns)
        guard !schema.primaryKey.isEmpty, Set(batch.columns).isSuperset(of: schema.primaryKey) else {
            throw StoreError(
                .invalidArgument,
                "Cannot upsert into \(table): the table has no primary key, or the batch lacks a column of it.")
        }
        let isKey = Set(schema.primaryKey)
        let names = batch.columns.map(\.quoted)
        let updates = batch.columns.filter { !isKey.contains($0) }.map { "\($0.quoted) = excluded.\($0.quoted)" }
        let sql = """
            INSERT INTO \(schema.name.quoted) (\(names.joined(separator: ", "))) \
            VALUES (\(names.map { _ in "?" }.joined(separator: ", "))) \
            ON CONFLICT (\(schema.primaryKey.map(\.quoted).joined(separator: ", "))) DO \
            \(updates.isEmpty ? "NOTHING" : "UPDATE SET " + updates.joined(separator: ", "))
            """
        let statement = try compiled(sql)
        try protectedTables.check(statement.effects.tables)
        let required = batch.columns.indices.filter { isKey.contains(batch.columns[$0]) }
        _ = try atomically { try $0.run(statement, for: batch, required: required) }
        return batch.rowCount
    }

    mutating func delete(
        _ keys: RowBatch, from table: SQLIdentifier, _ protectedTables: ProtectedTables
    ) throws -> Int {
        let schema = try existing(table, with: keys.columns)
        let conditions = keys.columns.map { "\($0.quoted) = ?" }.joined(separator: " AND ")
        let statement = try compiled("DELETE FROM \(schema.name.quoted) WHERE \(conditions)")
        // With the tables of triggers and cascades.
        try protectedTables.check(statement.effects.tables)
        return try atomically { try $0.run(statement, for: keys) }
    }

    mutating func swapTable(_ table: SQLIdentifier, for replacement: SQLIdentifier) throws {
        guard let new = try schema(of: replacement) else { throw Self.noSuchTable(replacement) }
        guard table.isValid else {
            throw StoreError(.invalidArgument, "Invalid table name: it is empty or contains NUL.")
        }
        guard new.name != table else { return }
        try checkUnreferenced(table)
        // Without legacy renaming, SQLite would fail because views and triggers name the dropped table.
        try setLegacyRenaming(true)
        defer { try? setLegacyRenaming(false) }
        try atomically { connection in
            let drop = try connection.compiled("DROP TABLE IF EXISTS \(table.quoted)")
            try connection.run(drop)
            let rename = try connection.compiled("ALTER TABLE \(new.name.quoted) RENAME TO \(table.quoted)")
            try connection.run(rename)
            connection.recordChange(of: [table, new.name])
        }
    }

    /// Works in any transaction state: SQLite may have rolled the transaction back by itself.
    private func setLegacyRenaming(_ isOn: Bool) throws(StoreError) {
        try control(compile(SQLText("PRAGMA legacy_alter_table = \(isOn ? "ON" : "OFF")")))
    }

    /// Returns the schema of a table that must exist and have these columns.
    private mutating func existing(_ table: SQLIdentifier, with columns: [SQLIdentifier]) throws -> TableSchema {
        guard let schema = try schema(of: table) else { throw Self.noSuchTable(table) }
        let known = Set(schema.columns.map(\.name))
        if let missing = columns.first(where: { !known.contains($0) }) {
            throw StoreError(.noSuchColumn, "no such column: \(table).\(missing)")
        }
        return schema
    }

    private static func noSuchTable(_ name: SQLIdentifier) -> StoreError {
        StoreError(.noSuchTable, "no such table: \(name)")
    }
}

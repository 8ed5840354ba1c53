import StoreCore

/// Key-value table of a database, for the parameters that an app saves.
struct ParameterTable: Sendable {
    static var table: SQLIdentifier { SQLIdentifier(SQLIdentifier.reservedPrefix + "hyperhive_parameters") }

    let store: any LocalStore

    /// Returns the value of a key; nil when there is none.
    /// - Throws: `StoreError`.
    func value(forKey key: String) throws(StoreError) -> String? {
        do throws(StoreError) {
            return try rethrowingStoreErrors {
                var value: String?
                try store.query("SELECT value FROM \(Self.table.quoted) WHERE name = ?", [.text(key)]) { row in
                    value = row.text(at: 0)
                    return false
                }
                return value
            }
        } catch {
            guard error.code == .noSuchTable else { throw error }
            return nil
        }
    }

    /// Stores the value of a key; nil removes it.
    /// - Throws: `StoreError`.
    func save(_ value: String?, forKey key: String) throws(StoreError) {
        try rethrowingStoreErrors {
            try store.transaction {
                if try store.schema(of: Self.table) == nil {
                    guard value != nil else { return }
                    let columns = [TableSchema.Column("name", "TEXT"), TableSchema.Column("value", "TEXT")]
                    try store.createTable(TableSchema(Self.table, columns: columns, primaryKey: ["name"]))
                }
                guard let value else {
                    try store.execute("DELETE FROM \(Self.table.quoted) WHERE name = ?", [.text(key)])
                    return
                }
                var row = try RowBatch(columns: ["name", "value"])
                try row.append([.text(key), .text(value)])
                try store.upsert(row, into: Self.table)
            }
        }
    }
}

/// The table `patchbay_migrations`, with the names of the applied steps, numbered from 1.
enum MigrationTable {
    private static let name = SQLIdentifier(SQLIdentifier.reservedPrefix + "migrations")

    /// The names of the applied steps, in order; empty when the table does not exist.
    static func names(in store: any LocalStore) throws -> [String] {
        var names: [String] = []
        do {
            try store.query("SELECT name FROM \(name.quoted) ORDER BY number", []) { row in
                names.append(row.text(at: 0) ?? "")
                return true
            }
        } catch let error as StoreError where error.code == .noSuchTable {
            return []
        }
        return names
    }

    /// Adds a step, and creates the table before the first one.
    static func record(_ step: String, number: Int, in store: any LocalStore) throws {
        if try store.schema(of: name) == nil {
            let columns: [TableSchema.Column] = [
                .init("number", "INTEGER", isNotNull: true), .init("name", "TEXT", isNotNull: true),
            ]
            try store.createTable(TableSchema(name, columns: columns, primaryKey: ["number"]))
        }
        try store.execute(
            "INSERT INTO \(name.quoted) (number, name) VALUES (?, ?)", [.integer(Int64(number)), .text(step)])
    }
}

import StoreCore
import SystemLibraries

/// Lookup of names in a connection's schema, used after a failure.
struct SchemaNames: Sendable {
    private let functions: SQLiteFunctions
    private let address: UInt

    init(_ database: OpaquePointer?, _ functions: SQLiteFunctions) {
        self.functions = functions
        address = UInt(bitPattern: database)
    }

    private static let sql = """
        SELECT 1 FROM sqlite_master AS m WHERE m.name = ?1 COLLATE NOCASE OR m.type = 'table' AND EXISTS \
        (SELECT 1 FROM pragma_table_info(m.name) AS c WHERE c.name = ?1 COLLATE NOCASE) LIMIT 1
        """

    /// True for the name of a table, view, index, trigger or table column; false if the schema cannot be read.
    func contains(_ name: String) -> Bool {
        guard name.utf8.count < 256 else { return false }
        let database = OpaquePointer(bitPattern: address)
        var statement: OpaquePointer?
        defer { _ = functions.finalize(statement) }
        guard functions.prepare(database, Self.sql, -1, 0, &statement, nil) == SQLiteConstant.ok,
            SQLiteParameters(statement, functions).bind(.text(name), at: 1) == SQLiteConstant.ok
        else { return false }
        return functions.step(statement) == SQLiteConstant.row
    }
}

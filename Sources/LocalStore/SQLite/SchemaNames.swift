import SystemLibraries

/// The names in the schema of a connection, asked after a failure.
struct SchemaNames: Sendable {
    private let functions: SQLiteFunctions
    private let address: UInt

    init(_ database: OpaquePointer?, _ functions: SQLiteFunctions) {
        self.functions = functions
        address = UInt(bitPattern: database)
    }

    private static let question = """
        SELECT 1 FROM sqlite_master AS m WHERE m.name = ?1 COLLATE NOCASE OR m.type = 'table' AND EXISTS \
        (SELECT 1 FROM pragma_table_info(m.name) AS c WHERE c.name = ?1 COLLATE NOCASE) LIMIT 1
        """

    /// True for the name of a table, a view, an index, a trigger or a table's column; false also when the schema cannot
    /// be read.
    func contains(_ name: String) -> Bool {
        guard name.utf8.count < 256 else { return false }
        let database = OpaquePointer(bitPattern: address)
        var statement: OpaquePointer?
        defer { _ = functions.finalize(statement) }
        guard functions.prepare(database, Self.question, -1, 0, &statement, nil) == SQLiteConstant.ok,
            SQLiteParameters(statement, functions).set(.text(name), at: 1) == SQLiteConstant.ok
        else { return false }
        return functions.step(statement) == SQLiteConstant.row
    }
}

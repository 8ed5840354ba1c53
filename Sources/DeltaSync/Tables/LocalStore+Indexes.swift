import StoreCore

extension LocalStore {
    /// Swaps a table as ``LocalStore/swapTable(_:for:)``, and recreates its indexes and triggers where they still fit.
    ///
    /// Call it inside a schema transaction.
    func swapTableKeepingIndexes(_ table: SQLIdentifier, for replacement: SQLIdentifier) throws {
        let indexesAndTriggers = try indexesAndTriggers(of: table)
        try swapTable(table, for: replacement)
        for statement in indexesAndTriggers { try recreate(statement) }
    }

    /// The statements that created the indexes and triggers of a table; dropping the table drops them too.
    private func indexesAndTriggers(of table: SQLIdentifier) throws -> [String] {
        let sql = "SELECT tbl_name, sql FROM sqlite_master WHERE type = 'index' OR type = 'trigger'"
        var statements: [String] = []
        try query(sql, []) { row in
            // The automatic index of a primary key has no statement.
            if let name = row.text(at: 0), SQLIdentifier(name) == table, let statement = row.text(at: 1) {
                statements.append(statement)
            }
            return true
        }
        return statements
    }

    /// Recreates an index or a trigger; one that does not fit the new table is dropped.
    private func recreate(_ statement: String) throws {
        do {
            try transaction { _ = try execute(statement, []) }
        } catch let error as StoreError
            where [.noSuchColumn, .constraint, .syntax, .failed, .unsupportedSQL].contains(error.code)
        {
        }
    }
}

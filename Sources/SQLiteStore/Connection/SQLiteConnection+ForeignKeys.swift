import StoreCore

extension SQLiteConnection {
    /// Turns the enforcement of foreign keys on or off. SQLite ignores it within a transaction.
    mutating func enforceForeignKeys(_ isEnforced: Bool) throws(StoreError) {
        // The effects of a statement include its cascades. The pragma takes effect even when its run fails.
        defer { discardStatements() }
        interrupter.shield()
        defer { interrupter.unshield() }
        try runInternal("PRAGMA foreign_keys = \(isEnforced ? "ON" : "OFF")") { _ in }
    }

    /// Checks the foreign keys of all rows.
    /// - Throws: `StoreError` (`constraint`) when a row lacks the row that its foreign key names.
    mutating func checkForeignKeys() throws(StoreError) {
        guard let violation = try foreignKeyViolation() else { return }
        throw violation
    }

    /// The error for the first row that lacks the row that its foreign key names; nil when there is none.
    private mutating func foreignKeyViolation() throws(StoreError) -> StoreError? {
        var names: (table: String, parent: String)?
        try runInternal("SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 1") { row in
            names = (row.text(at: 0) ?? "", row.text(at: 1) ?? "")
        }
        return names.map { names in
            StoreError(
                .constraint,
                """
                \(SQLiteMessage.foreignKeyError): a row of \(names.table) refers to a missing row of \(names.parent); \
                delete or repair such rows (PRAGMA foreign_key_check) before the commit.
                """, engineCode: SQLiteConstant.constraintForeignKey)
        }
    }

    /// Names the tables in the error of a commit that violates a deferred foreign key; the transaction is still open.
    mutating func namingTables(in error: StoreError) -> StoreError {
        guard error.engineCode == SQLiteConstant.constraintForeignKey else { return error }
        return (try? foreignKeyViolation()) ?? error
    }

    /// Refuses to drop a table that a foreign key of another table references.
    ///
    /// SQLite deletes the rows of a dropped table first, so it would delete or change the rows that reference them.
    /// - Throws: `StoreError` (`constraint`), unless foreign keys are off.
    mutating func checkUnreferenced(_ table: SQLIdentifier) throws {
        var isEnforced = false
        try runInternal("PRAGMA foreign_keys") { isEnforced = $0.int64(at: 0) == 1 }
        guard isEnforced else { return }
        let find = """
            SELECT m.name FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f \
            WHERE m.type = 'table' AND m.name <> ?1 COLLATE NOCASE AND f."table" = ?1 COLLATE NOCASE LIMIT 1
            """
        var referencing: String?
        try run(compiled(find), [.text(table.text)]) { row in
            referencing = row.text(at: 0)
            return false
        }
        guard let referencing else { return }
        throw StoreError(
            .constraint,
            """
            Cannot swap table \(table): a foreign key of table \(referencing) references it; swap it in \
            `schemaTransaction`, or set `Configuration.enforcesForeignKeys` to false.
            """)
    }
}

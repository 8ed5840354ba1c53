import StoreCore

extension MemoryDatabase {
    mutating func executeDefinition(_ statement: SQLStatement.Kind) throws(StoreError) {
        switch statement {
        case .createTable(let table, let ifNotExists):
            let name = SQLIdentifier(table.name)
            try Self.checkName(name)
            if ifNotExists, self.table(name) != nil { return }
            try create(try MemoryTableDefinition(table))
        case .dropTable(let name, let ifExists):
            let name = SQLIdentifier(name)
            if ifExists, table(name) == nil { return }
            drop(try slot(name))
        case .addColumn(let table, let column, let text):
            try addColumn(column, text, to: try slot(SQLIdentifier(table)))
        case .renameTable(let name, let other):
            try Self.checkName(SQLIdentifier(other))
            let slot = try slot(SQLIdentifier(name))
            // As in SQLite, the table's own name counts as taken, in any letter case.
            guard table(SQLIdentifier(other)) == nil else {
                throw .tableExists(other)
            }
            try rename(slot, to: SQLIdentifier(other))
        case .renameColumn(let table, let column, let name, let isQuoted):
            try renameColumn(column, of: try slot(SQLIdentifier(table)), to: name, isQuoted: isQuoted)
        case .dropColumn(let table, let column): try dropColumn(column, of: try slot(SQLIdentifier(table)))
        case .select, .insert, .update, .delete, .userVersion: break
        }
    }

    private static func checkName(_ name: SQLIdentifier) throws(StoreError) {
        guard name.isValid, !name.text.asciiLowercased.utf8.starts(with: "sqlite_".utf8) else {
            throw StoreError(
                .invalidArgument,
                "Invalid table name: it is empty, contains NUL, or begins with sqlite_; choose another one.")
        }
    }

    private mutating func addColumn(
        _ column: SQLColumnDefinition, _ text: String, to slot: Int
    ) throws(StoreError) {
        let table = try table(slot)
        if column.isPrimaryKey || column.isUnique {
            throw .syntax("Cannot add a PRIMARY KEY or UNIQUE column", at: column.offset)
        }
        if column.isDefaultComputed { throw .unsupportedSQL("computed default in ALTER TABLE", at: column.offset) }
        let old = table.definition
        var bytes = Array(old.text.utf8)
        bytes.insert(contentsOf: Array(", \(text)".utf8), at: old.columnsEnd)
        let definition = try MemoryTableDefinition(try SQLParser.table(String(decoding: bytes, as: UTF8.self)))
        if column.isNotNull, table.rowCount > 0, try definition.defaultValue(table.columns.count).isNull {
            throw definition.constraintError("Cannot add a NOT NULL column without a default", [table.columns.count])
        }
        try redefine(slot, definition)
    }

    mutating func rename(_ slot: Int, to name: SQLIdentifier) throws(StoreError) {
        let text = try table(slot).definition.text
        // CREATE TABLE name: the third token.
        let range = try SQLLexer.tokens(of: Array(text.utf8))[2].range
        var bytes = Array(text.utf8)
        bytes.replaceSubrange(range, with: Array(name.quoted.utf8))
        try redefine(slot, try MemoryTableDefinition(try SQLParser.table(String(decoding: bytes, as: UTF8.self))))
    }

    /// Replaces table `name` with `replacement`, which takes its name.
    mutating func swapTable(_ name: SQLIdentifier, for replacement: SQLIdentifier) throws(StoreError) {
        let slot = try slot(replacement)
        guard name != replacement else { return }
        try Self.checkName(name)
        if let old = table(name) { drop(old.slot) }
        try rename(slot, to: name)
    }
}

// The errors of MemoryStore's SQL, in SQLite's words where it has any.
extension StoreError {
    /// A text that is not SQL.
    /// - Parameters:
    ///   - message: what is wrong; no word of the statement that may be a piece of a value.
    ///   - offset: where in the statement, in bytes.
    static func syntax(_ message: String, at offset: Int) -> StoreError {
        StoreError(.syntax, message, offset: offset)
    }

    static func noSuchTable(_ name: String, at offset: Int? = nil) -> StoreError {
        StoreError(.noSuchTable, "no such table: \(shown(name))", offset: offset)
    }

    static func noSuchColumn(_ name: String, in table: String?, at offset: Int? = nil) -> StoreError {
        StoreError(.noSuchColumn, "no such column: \(table.map { $0 + "." } ?? "")\(shown(name))", offset: offset)
    }

    /// A name that needs no quotes; what is in quotes may be a value.
    private static func shown(_ name: String) -> String {
        let isWord = !name.isEmpty && name.utf8.allSatisfy(SQLLexer.isNameByte)
        return isWord ? name : "…"
    }

    static func tableExists(_ name: String) -> StoreError {
        StoreError(.tableExists, "table \(name) already exists")
    }
}

// Errors of statements, in SQLite's words where there are any.
extension StoreError {
    /// A syntax error.
    /// - Parameters:
    ///   - message: what is wrong; it must not quote words of the statement that may be part of a value.
    ///   - offset: byte offset in the statement.
    package static func syntax(_ message: String, at offset: Int) -> StoreError {
        StoreError(.syntax, message, offset: offset)
    }

    package static func noSuchTable(_ name: String, at offset: Int? = nil) -> StoreError {
        StoreError(.noSuchTable, "no such table: \(name)", offset: offset)
    }

    /// - Parameter isDoubleQuoted: true for a name that may be meant as text, and is redacted; default false.
    package static func noSuchColumn(
        _ name: String, in table: String?, at offset: Int? = nil, isDoubleQuoted: Bool = false
    ) -> StoreError {
        let shown = isDoubleQuoted ? "…\(DoubleQuotedText.advice)" : shown(name)
        return StoreError(.noSuchColumn, "no such column: \(table.map { $0 + "." } ?? "")\(shown)", offset: offset)
    }

    /// The name if it needs no quotes; that of a column in quotes may be a value, and is redacted.
    private static func shown(_ name: String) -> String {
        let isWord = !name.isEmpty && name.utf8.allSatisfy(SQLCursor.isNameByte)
        return isWord ? name : "…"
    }

    package static func tableExists(_ name: String) -> StoreError {
        StoreError(.tableExists, "table \(name) already exists")
    }
}

import StoreCore

/// Maps SQLite's error messages to store codes, since all statement errors share the code SQLITE_ERROR.
enum SQLiteErrorClassifier {
    /// Returns the code for an error while preparing a statement.
    static func compileError(_ text: String) -> StoreError.Code {
        for (code, starts) in prefixes where starts.contains(where: { text.hasPrefix($0) }) { return code }
        for (code, ends) in suffixes where ends.contains(where: { text.hasSuffix($0) }) { return code }
        for (code, parts) in substrings where parts.contains(where: { text.contains($0) }) { return code }
        return .syntax
    }

    /// Returns the code for an error while running a statement.
    static func runtimeError(_ text: String) -> StoreError.Code {
        // From a change of the schema, which compiles the views, triggers and constraints that it concerns.
        if text.hasPrefix("error in ") { return compileError(text) }
        if text == "LIKE or GLOB pattern too complex" { return .tooLarge }
        if text.hasPrefix("no such module") || text.hasPrefix("no such tokenizer") { return .unsupportedSQL }
        return text.hasPrefix("Cannot add a NOT NULL column") ? .constraint : .failed
    }

    /// What to do about an error of a statement; nil when the message says enough.
    static func advice(_ text: String) -> String? {
        if text.hasPrefix("no such collation") { return "add it to `Configuration.collations`" }
        if text.hasPrefix("no such function") { return "check its name, or add it to `Configuration.functions`" }
        guard text.hasPrefix("unsafe use of") || text.hasPrefix("error in ") && text.contains(": unsafe use of") else {
            return nil
        }
        return "if only your app writes the file, set `Configuration.trustsSchema`"
            + (text.hasSuffix("()") ? "; for a function of the app, `isInnocuous` suffices" : "")
    }

    private static let prefixes: [(StoreError.Code, [String])] = [
        (.noSuchTable, ["no such table", "no such view"]),
        (.noSuchColumn, ["no such column"]),
        (.tableExists, ["there is already"]),
        (.invalidArgument, ["duplicate column name", "object name reserved"]),
        (.constraint, ["Cannot add a NOT NULL column"]),
        (
            .unsupportedSQL,
            [
                "no such collation", "no such function", "no such module", "no such tokenizer", "unknown function",
                "unsafe use of",
            ]
        ),
        (.readOnly, ["cannot modify"]),
        (.tooLarge, ["Expression tree is too large", "at most ", "parser stack overflow", "too many "]),
        (.failed, ["vtable constructor"]),
    ]

    private static let suffixes: [(StoreError.Code, [String])] = [
        (.tableExists, [" already exists"]),
        (.readOnly, [" may not be altered", " may not be dropped", " may not be indexed", " may not be modified"]),
    ]

    private static let substrings: [(StoreError.Code, [String])] = [
        (.noSuchColumn, ["has no column named"]),
        // A view or a trigger that names a missing table or column, or is not trusted.
        (.noSuchTable, [": no such table"]), (.noSuchColumn, [": no such column"]),
        (.unsupportedSQL, [": unsafe use of"]),
    ]
}

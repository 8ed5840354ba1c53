/// What SQLite's texts mean: the errors of statements have one code, and only the text tells them apart.
enum SQLiteMeaning {
    /// The code of a statement that could not be compiled.
    static func compiling(_ text: String) -> StoreError.Code {
        for (code, starts) in beginnings where starts.contains(where: { text.hasPrefix($0) }) { return code }
        for (code, ends) in endings where ends.contains(where: { text.hasSuffix($0) }) { return code }
        for (code, parts) in insides where parts.contains(where: { text.contains($0) }) { return code }
        return .syntax
    }

    /// The code of a statement that failed while it ran.
    static func running(_ text: String) -> StoreError.Code {
        if text == "LIKE or GLOB pattern too complex" { return .tooLarge }
        if text.hasPrefix("no such module") || text.hasPrefix("no such tokenizer") { return .unsupportedSQL }
        return text.hasPrefix("Cannot add a NOT NULL column") ? .constraint : .failed
    }

    private static let beginnings: [(StoreError.Code, [String])] = [
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

    private static let endings: [(StoreError.Code, [String])] = [
        (.tableExists, [" already exists"]),
        (.readOnly, [" may not be altered", " may not be dropped", " may not be indexed", " may not be modified"]),
    ]

    private static let insides: [(StoreError.Code, [String])] = [
        (.noSuchColumn, ["has no column named"]),
        // A view or a trigger that names what is not there.
        (.noSuchTable, [": no such table"]), (.noSuchColumn, [": no such column"]),
    ]
}

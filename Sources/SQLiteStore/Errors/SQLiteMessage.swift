import StoreCore

/// SQLite's error message with possible values and statement text redacted.
///
/// A message from preparing a statement contains names and quotes tokens: a token is kept only if it is a keyword, an
/// operator, or a name of the schema, or where only a name can be. A message from running a statement may come from a
/// function, a trigger or a virtual table and contain anything: only known messages are kept.
struct SQLiteMessage {
    private static let placeholder = "…"
    /// SQLite's message, which names no table.
    static let foreignKeyError = "FOREIGN KEY constraint failed"

    /// Redacts the message of an error while preparing a statement.
    /// - Parameters:
    ///   - statement: the text of the statement; nil for an error of a view, a trigger or an index.
    ///   - isName: returns whether a word names a table, an index or a column of the schema.
    static func compileError(_ text: String, of statement: String?, isName: (String) -> Bool) -> String {
        if prefixesOfNamesOnly.contains(where: { text.hasPrefix($0) }) { return text }
        if let start = startOfUnknownName(text) {
            let name = text[start...]
            let isShown =
                text[..<start].hasSuffix("no such table: ")
                ? statement.map { TableText.isExcluded(by: $0, of: name) } ?? false : true
            return isShown && (isWord(name) || isName(String(name))) ? text : text[..<start] + placeholder
        }
        // By scalars: as a character, a quote before a combining mark is no quote.
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: { closing[$0] != nil }), let close = closing[scalars[start]],
            let end = scalars.lastIndex(of: close), end > start
        else { return maskedNumbers(text[...]) }
        let inside = String(scalars[scalars.index(after: start)..<end])
        let shown = isToken(inside) || isName(inside) ? inside : placeholder
        return maskedNumbers(Substring(scalars[...start])) + shown + maskedNumbers(Substring(scalars[end...]))
    }

    /// Redacts the message of an error while running a statement; nil when it may contain a value.
    static func runtimeError(_ text: String, isName: (String) -> Bool) -> String? {
        if fixedMessages.contains(text) || prefixesOfNames.contains(where: { text.hasPrefix($0) }) { return text }
        if let start = prefixesOfValues.first(where: { text.hasPrefix($0) }) { return "\(start) \(placeholder)" }
        if text.hasPrefix("error in ") { return compileError(text, of: nil, isName: isName) }
        if text.hasPrefix("CHECK constraint failed: ") {
            return isWord(text.dropFirst("CHECK constraint failed: ".count)) ? text : "CHECK constraint failed"
        }
        return nil
    }

    // MARK: Parts

    private static let closing: [Unicode.Scalar: Unicode.Scalar] = ["\"": "\"", "'": "'", "[": "]", "`": "`"]

    /// The end of `no such …: ` or `table … has no column named `, before a name that may be a text.
    private static func startOfUnknownName(_ text: String) -> String.Index? {
        // With the name in quotes of SQLite's own.
        if text.hasSuffix(" - should this be a string literal in single-quotes?") { return nil }
        if text.hasPrefix("table ") { return text.firstRange(of: " has no column named ")?.upperBound }
        let problem = text.hasPrefix("error in ") ? text.firstRange(of: ": no such ")?.upperBound : text.startIndex
        guard let problem, problem > text.startIndex || text.hasPrefix("no such ") else { return nil }
        return text[problem...].firstRange(of: ": ")?.upperBound
    }

    /// Redacts numbers with more than six digits, which may be literals; shorter ones are counts.
    private static func maskedNumbers(_ text: Substring) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let digits = word.drop { $0 == "-" || $0 == "+" }
            let isLiteral = digits.first?.isNumber == true && (digits.utf8.count > 6 || digits.dropFirst().first == "x")
            return isLiteral ? placeholder : String(word)
        }.joined(separator: " ")
    }

    private static func isToken(_ text: String) -> Bool {
        if SQLiteKeywords.contains(text) { return true }
        let signs = Set("(),.;=<>|&~+-*/%!?@:".utf8)
        return !text.isEmpty && text.utf8.count <= 2 && text.utf8.allSatisfy { signs.contains($0) }
    }

    /// True for unquoted names, optionally joined by dots.
    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (97...122).contains(byte | 0x20) || byte >= 0x80
                    || [UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: ".")].contains(byte)
            }
    }

    private static let fixedMessages: Set<String> = [
        "Cannot add a NOT NULL column with default value NULL", "ESCAPE expression must be a single character",
        foreignKeyError, "LIKE or GLOB pattern too complex", "PRIMARY KEY constraint failed",
        "argument of ntile must be a positive integer", "constraint failed", "datatype mismatch",
        "frame ending offset must be a non-negative integer", "frame ending offset must be a non-negative number",
        "frame starting offset must be a non-negative integer", "frame starting offset must be a non-negative number",
        "integer overflow", "malformed JSON", "not authorized", "recursively defined fts5 content table",
        "second argument to nth_value must be a positive integer", "string or blob too big", "unterminated string",
    ]

    /// Prefixes of messages while preparing, followed by names only: what is in quotes there is never a value.
    private static let prefixesOfNamesOnly = [
        "default value of column [", "foreign key mismatch - ", "no such collation sequence: ", "no such index: ",
        "no such savepoint: ", "no such trigger: ", "no such view: ",
    ]

    /// Prefixes followed by names of tables, columns, indexes and types.
    private static let prefixesOfNames = [
        "NOT NULL constraint failed: ", "UNIQUE constraint failed: ", "cannot store ", "rtree constraint failed: ",
        "vtable constructor failed: ",
    ]

    /// Prefixes followed by a value or a part of the statement.
    private static let prefixesOfValues = [
        "JSON path error near", "bad JSON path:", "fts5: syntax error near", "malformed MATCH expression:",
        "no such module:", "no such tokenizer:", "unknown tokenizer:", "unrecognized option:",
        "unrecognized parameter:",
    ]
}

/// SQLite's keywords, including those that may be used as names (sqlite.org/lang_keywords.html).
enum SQLiteKeywords {
    private static let words: Set<String> = SQLKeywords.reserved.union(SQLKeywords.joins).union([
        "ABORT", "ACTION", "AFTER", "ALWAYS", "ANALYZE", "ASC", "ATTACH", "BEFORE", "BEGIN", "BY", "CASCADE", "CAST",
        "COLUMN", "CONFLICT", "CURRENT", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "DATABASE", "DEFERRED",
        "DESC", "DETACH", "DO", "EACH", "END", "EXCLUDE", "EXCLUSIVE", "EXPLAIN", "FAIL", "FILTER", "FIRST",
        "FOLLOWING", "FOR", "GENERATED", "GLOB", "GROUPS", "IF", "IGNORE", "IMMEDIATE", "INDEXED", "INITIALLY",
        "INSTEAD", "KEY", "LAST", "LIKE", "MATCH", "MATERIALIZED", "NO", "NULLS", "OF", "OFFSET", "OTHERS", "OVER",
        "PARTITION", "PLAN", "PRAGMA", "PRECEDING", "QUERY", "RAISE", "RANGE", "RECURSIVE", "REGEXP", "REINDEX",
        "RELEASE", "RENAME", "REPLACE", "RESTRICT", "ROLLBACK", "ROW", "ROWS", "SAVEPOINT", "TEMP", "TEMPORARY", "TIES",
        "TRIGGER", "UNBOUNDED", "VACUUM", "VIEW", "VIRTUAL", "WINDOW", "WITH", "WITHOUT",
    ])

    static func contains(_ word: String) -> Bool { words.contains(word.uppercased()) }
}

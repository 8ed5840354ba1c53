/// SQLite's text for a failure, less what may be a value or a part of a statement.
///
/// The text of a failed compilation speaks of names, and quotes tokens of the statement: a token stays when it is a
/// keyword, a sign, or a name of the schema. A text that comes while a statement runs may be a function's, a trigger's
/// or a virtual table's and hold anything: only known ones stay.
struct SQLiteMessage {
    private static let mark = "…"

    /// The text of a failed compilation.
    /// - Parameter isName: tells whether a word is the name of a table, an index or a column of the schema.
    static func compiling(_ text: String, isName: (String) -> Bool) -> String {
        guard let start = text.firstIndex(where: { closing[$0] != nil }), let close = closing[text[start]],
            let end = text.lastIndex(of: close), end > start
        else { return maskedName(text, isName) }
        let inside = String(text[text.index(after: start)..<end])
        let shown = isToken(inside) || isName(inside) ? inside : mark
        return maskedNumbers(text[...start]) + shown + maskedNumbers(text[end...])
    }

    /// The text of a statement that failed while it ran; nil when it may hold a value.
    static func running(_ text: String, isName: (String) -> Bool) -> String? {
        if complete.contains(text) || aboutNames.contains(where: { text.hasPrefix($0) }) { return text }
        if let start = beforeValue.first(where: { text.hasPrefix($0) }) { return "\(start) \(mark)" }
        if text.hasPrefix("error in ") { return compiling(text, isName: isName) }
        if text.hasPrefix("CHECK constraint failed: ") {
            return isWord(text.dropFirst("CHECK constraint failed: ".count)) ? text : "CHECK constraint failed"
        }
        return nil
    }

    // MARK: Parts

    private static let closing: [Character: Character] = ["\"": "\"", "'": "'", "[": "]", "`": "`"]

    /// What follows the first colon of `no such …: name` is what a statement has in the place of a name.
    private static func maskedName(_ text: String, _ isName: (String) -> Bool) -> String {
        guard text.hasPrefix("no such "), let colon = text.firstIndex(of: ":") else { return maskedNumbers(text[...]) }
        let name = text[colon...].dropFirst(2)
        return isWord(name) || isName(String(name)) ? text : "\(text[...colon]) \(mark)"
    }

    /// Counts stay; a longer number may be a literal.
    private static func maskedNumbers(_ text: Substring) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let isLiteral = word.first?.isNumber == true && (word.utf8.count > 6 || word.dropFirst().first == "x")
            return isLiteral ? mark : String(word)
        }.joined(separator: " ")
    }

    private static func isToken(_ text: String) -> Bool {
        if SQLiteKeywords.contains(text) { return true }
        let signs = Set("(),.;=<>|&~+-*/%!?@:".utf8)
        return !text.isEmpty && text.utf8.count <= 2 && text.utf8.allSatisfy { signs.contains($0) }
    }

    /// True for names that need no quotes, with dots between them.
    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (97...122).contains(byte | 0x20) || byte >= 0x80
                    || [UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: ".")].contains(byte)
            }
    }

    private static let complete: Set<String> = [
        "Cannot add a NOT NULL column with default value NULL", "ESCAPE expression must be a single character",
        "FOREIGN KEY constraint failed", "LIKE or GLOB pattern too complex", "PRIMARY KEY constraint failed",
        "argument of ntile must be a positive integer", "constraint failed", "datatype mismatch",
        "frame ending offset must be a non-negative integer", "frame ending offset must be a non-negative number",
        "frame starting offset must be a non-negative integer", "frame starting offset must be a non-negative number",
        "integer overflow", "malformed JSON", "not authorized", "recursively defined fts5 content table",
        "second argument to nth_value must be a positive integer", "string or blob too big", "unterminated string",
    ]

    /// Names of tables, columns, indexes and types follow.
    private static let aboutNames = [
        "NOT NULL constraint failed: ", "UNIQUE constraint failed: ", "cannot store ", "rtree constraint failed: ",
        "vtable constructor failed: ",
    ]

    /// A value, or a part of the statement, follows.
    private static let beforeValue = [
        "JSON path error near", "bad JSON path:", "fts5: syntax error near", "malformed MATCH expression:",
        "no such module:", "no such tokenizer:", "unknown tokenizer:", "unrecognized option:",
        "unrecognized parameter:",
    ]
}

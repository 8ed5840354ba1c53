/// Tokenizer for any SQL of SQLite, without its grammar.
///
/// It skips white space, comments and the contents of quotes, and never fails.
///
/// The lexer of `MemoryStore` reads only the SQL that this store supports, and refuses anything else.
struct SQLScanner {
    enum Token: Equatable {
        /// A name, a keyword or a number, without quotes.
        case word(Range<Int>)
        /// A text, a blob or a quoted name.
        case quoted
        /// `?`, or `?NNN` with its number.
        case numberedParameter(Int?)
        /// `:name`, `@name` or `$name`, with the prefix.
        case namedParameter(String)
        case semicolon
        /// A byte of an operator, or one that SQLite does not know.
        case other
    }

    private var cursor: SQLCursor
    /// The start of the last token.
    private(set) var start = 0

    init(_ text: String) { cursor = SQLCursor(Array(text.utf8)) }

    var bytes: [UInt8] { cursor.bytes }
    /// The end of the last token.
    var position: Int { cursor.position }

    /// The next token; nil at the end.
    mutating func next() -> Token? {
        cursor.skipSpace()
        start = cursor.position
        guard !cursor.isAtEnd else { return nil }
        let first = cursor.byte()
        switch first {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
            _ = cursor.quoted()
            return .quoted
        default: cursor.position += 1
        }
        switch first {
        case UInt8(ascii: ";"): return .semicolon
        case UInt8(ascii: "?"):
            while SQLCursor.isDigit(cursor.byte()) { cursor.position += 1 }
            return .numberedParameter(Int(text(start + 1..<cursor.position)))
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"): return parameterName()
        case _ where SQLCursor.isNameByte(first):
            while SQLCursor.isNameByte(cursor.byte()) { cursor.position += 1 }
            return .word(start..<cursor.position)
        default: return .other
        }
    }

    /// True for a text with `?` within quotes.
    static func hasQuotedMark(_ text: String) -> Bool {
        var scanner = SQLScanner(text)
        while let token = scanner.next() {
            let bytes = scanner.bytes[scanner.start..<scanner.position]
            if token == .quoted, bytes.contains(UInt8(ascii: "?")) { return true }
        }
        return false
    }

    /// The bytes of a range as text.
    func text(_ range: Range<Int>) -> String { String(decoding: cursor.bytes[range], as: UTF8.self) }

    /// A name may contain `::` and end with a part in parentheses, as SQLite's Tcl interface has it.
    private mutating func parameterName() -> Token {
        while true {
            if SQLCursor.isNameByte(cursor.byte()) {
                cursor.position += 1
            } else if cursor.byte() == UInt8(ascii: ":"), cursor.byte(at: 1) == UInt8(ascii: ":") {
                cursor.position += 2
            } else {
                break
            }
        }
        if cursor.byte() == UInt8(ascii: "("), cursor.position > start + 1 {
            var end = cursor.position + 1
            while end < cursor.bytes.count, !SQLCursor.isSpace(cursor.bytes[end]),
                cursor.bytes[end] != UInt8(ascii: ")")
            { end += 1 }
            if end < cursor.bytes.count, cursor.bytes[end] == UInt8(ascii: ")") { cursor.position = end + 1 }
        }
        return cursor.position > start + 1 ? .namedParameter(text(start..<cursor.position)) : .other
    }
}

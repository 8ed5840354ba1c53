/// Tokenizer for any SQL of SQLite, without its grammar.
///
/// It skips white space, comments and the contents of quotes, and never fails.
///
/// ``SQLLexer`` reads the SQL of ``MemoryStore`` and refuses anything else.
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

    let bytes: [UInt8]
    /// The end of the last token.
    private(set) var position = 0
    /// The start of the last token.
    private(set) var start = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The next token; nil at the end.
    mutating func next() -> Token? {
        skipSpace()
        start = position
        guard position < bytes.count else { return nil }
        let first = byte()
        position += 1
        switch first {
        case UInt8(ascii: ";"): return .semicolon
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
            skipQuoted(first)
            return .quoted
        case UInt8(ascii: "["):
            position = bytes[position...].firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? bytes.count
            return .quoted
        case UInt8(ascii: "?"):
            while SQLLexer.isDigit(byte()) { position += 1 }
            return .numberedParameter(Int(text(start + 1..<position)))
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"): return parameterName()
        case _ where SQLLexer.isNameByte(first):
            while SQLLexer.isNameByte(byte()) { position += 1 }
            return .word(start..<position)
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
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The byte at the position; 0 at the end, which is no name byte.
    private func byte(at offset: Int = 0) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            if SQLLexer.isSpace(byte()) {
                position += 1
            } else if byte() == 0xEF, byte(at: 1) == 0xBB, byte(at: 2) == 0xBF {
                // A byte order mark, as at the start of a file.
                position += 3
            } else if byte() == UInt8(ascii: "-"), byte(at: 1) == UInt8(ascii: "-") {
                position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            } else if byte() == UInt8(ascii: "/"), byte(at: 1) == UInt8(ascii: "*") {
                position += 2
                while position < bytes.count, !(byte() == UInt8(ascii: "*") && byte(at: 1) == UInt8(ascii: "/")) {
                    position += 1
                }
                position = min(position + 2, bytes.count)
            } else {
                return
            }
        }
    }

    /// Skips to the end of a quote; a doubled quote is an escaped one.
    private mutating func skipQuoted(_ quote: UInt8) {
        while position < bytes.count {
            position += 1
            guard bytes[position - 1] == quote else { continue }
            guard position < bytes.count, byte() == quote else { return }
            position += 1
        }
    }

    /// A name may contain `::` and end with a part in parentheses, as SQLite's Tcl interface has it.
    private mutating func parameterName() -> Token {
        while true {
            if SQLLexer.isNameByte(byte()) {
                position += 1
            } else if byte() == UInt8(ascii: ":"), byte(at: 1) == UInt8(ascii: ":") {
                position += 2
            } else {
                break
            }
        }
        if byte() == UInt8(ascii: "("), position > start + 1 {
            var end = position + 1
            while end < bytes.count, !SQLLexer.isSpace(bytes[end]), bytes[end] != UInt8(ascii: ")") { end += 1 }
            if end < bytes.count, bytes[end] == UInt8(ascii: ")") { position = end + 1 }
        }
        return position > start + 1 ? .namedParameter(text(start..<position)) : .other
    }
}

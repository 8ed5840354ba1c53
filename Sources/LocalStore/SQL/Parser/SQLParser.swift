import StoreCore

/// A recursive-descent parser for one statement of a subset of SQLite's SQL (sqlite.org/lang.html).
///
/// Valid SQL outside of the subset throws `unsupportedSQL`; anything else throws `syntax`.
struct SQLParser {
    /// Limits of the parser's recursion and of the tree's height; a chain of ANDs, ORs, concatenations or arithmetic
    /// operators counts as one level. They keep the recursion within a 512 KiB stack, the size of a secondary thread's
    /// on Apple platforms, in a debug build.
    static let maximumNesting = 40
    static let maximumHeight = 60

    let source: [UInt8]
    /// True if a name in double quotes is text where it names no column; see ``SQLName/isTextOtherwise``.
    let allowsDoubleQuotedText: Bool
    private let tokens: [SQLToken]
    private var position = 0
    var parameters = SQLParameters()
    /// Height of the last parsed expression, and the current nesting of expressions.
    var height = 0
    var nesting = 0
    /// True after the first table constraint, where no column may follow.
    var hasTableConstraint = false
    /// True after a long list of IN.
    var hasLongList = false

    private init(_ source: [UInt8], allowsDoubleQuotedText: Bool) throws(StoreError) {
        self.source = source
        self.allowsDoubleQuotedText = allowsDoubleQuotedText
        tokens = try SQLLexer.tokens(of: source)
    }

    /// - Throws: `StoreError`: `syntax`, also for an empty text or several statements; `unsupportedSQL`; `misuse` for
    ///   BEGIN, COMMIT and similar statements.
    static func statement(_ sql: String, allowsDoubleQuotedText: Bool = false) throws(StoreError) -> SQLStatement {
        guard !sql.utf8.contains(0) else { throw StoreError(.syntax, "unrecognized token: NUL") }
        var parser = try SQLParser(Array(sql.utf8), allowsDoubleQuotedText: allowsDoubleQuotedText)
        while parser.take(.semicolon) {}
        let kind = try parser.statement()
        while parser.take(.semicolon) {}
        guard parser.current.kind == .end else {
            throw parser.unexpected("the end of the statement")
        }
        return SQLStatement(
            kind: kind, sql: sql, parameterCount: parser.parameters.count, hasLongList: parser.hasLongList)
    }

    /// Parses a CREATE TABLE statement as stored in `sqlite_master`. It may be one of a store that allowed text in
    /// double quotes.
    static func table(_ text: String) throws(StoreError) -> SQLTableDefinition {
        guard case .createTable(let definition, _) = try statement(text, allowsDoubleQuotedText: true).kind else {
            throw .syntax("syntax error: expected CREATE TABLE", at: 0)
        }
        return definition
    }

    private mutating func statement() throws(StoreError) -> SQLStatement.Kind {
        let offset = offset
        switch current.keyword {
        case "SELECT": return .select(try select())
        case "INSERT", "REPLACE": return .insert(try insert())
        case "UPDATE": return .update(try update())
        case "DELETE": return .delete(try delete())
        case "CREATE": return try create()
        case "DROP": return try drop()
        case "ALTER": return try alter()
        case "PRAGMA": return try pragma()
        case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE":
            throw StoreError(
                .misuse, "A statement cannot begin or end a transaction; use transaction(_:).", offset: offset)
        case "VALUES", "WITH", "EXPLAIN", "ANALYZE", "ATTACH", "DETACH", "REINDEX", "VACUUM":
            throw .unsupportedSQL(current.keyword ?? "", at: offset)
        default:
            if current.kind == .end { throw .syntax("incomplete input: the text contains no statement", at: offset) }
            throw unexpected("a statement")
        }
    }

    // MARK: Tokens

    var current: SQLToken { tokens[position] }
    var following: SQLToken { tokens[min(position + 1, tokens.count - 1)] }
    var offset: Int { current.range.lowerBound }
    /// Range of the previous token.
    var previousStart: Int { position > 0 ? tokens[position - 1].range.lowerBound : 0 }
    var previousEnd: Int { position > 0 ? tokens[position - 1].range.upperBound : 0 }

    mutating func advance() { if position < tokens.count - 1 { position += 1 } }

    func isAt(_ symbol: SQLToken.Symbol) -> Bool { current.kind == .symbol(symbol) }
    func isAt(_ keyword: String) -> Bool { current.keyword == keyword }

    mutating func take(_ symbol: SQLToken.Symbol) -> Bool {
        guard isAt(symbol) else { return false }
        advance()
        return true
    }

    mutating func take(_ keyword: String) -> Bool {
        guard isAt(keyword) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: SQLToken.Symbol) throws(StoreError) {
        guard take(symbol) else { throw unexpected("\"\(symbol.rawValue)\"") }
    }

    mutating func expect(_ keyword: String) throws(StoreError) {
        guard take(keyword) else { throw unexpected(keyword) }
    }

    /// The error for an unexpected token. It shows only symbols and keywords: a word may be part of a value.
    func unexpected(_ expectation: String) -> StoreError {
        let found =
            switch current.kind {
            case .end: "the end of the statement"
            case .symbol(let symbol): "\"\(symbol.rawValue)\""
            case .word(let word, .none) where SQLKeywords.isReserved(word): "\"\(word)\""
            case .word: "a name"
            case .text, .blob, .integer, .real: "a value"
            case .numberedParameter, .namedParameter: "a parameter"
            }
        return .syntax("near \(found): syntax error; expected \(expectation)", at: offset)
    }

    /// Throws `unsupportedSQL` if the current token is one of these keywords.
    func rejectUnsupported(_ keywords: String...) throws(StoreError) {
        if let keyword = current.keyword, keywords.contains(keyword) { throw .unsupportedSQL(keyword, at: offset) }
    }

    func text(_ range: Range<Int>) -> String { String(decoding: source[range], as: UTF8.self) }

    // MARK: Names

    /// Parses the name of a table or column. As in SQLite, it may be in single quotes.
    mutating func name(_ what: String) throws(StoreError) -> String {
        guard let name = currentName() else { throw unexpected("the name of \(what)") }
        advance()
        return name
    }

    /// The current token as a name; nil if it cannot be one.
    func currentName() -> String? {
        switch current.kind {
        case .word(let word, .none): SQLKeywords.isReserved(word) ? nil : word
        case .word(let word, _): word
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }

    mutating func tableName() throws(StoreError) -> String {
        let start = offset
        let first = try name("a table")
        guard take(.dot) else { return first }
        guard SQLIdentifier(first) == "main" else { throw .unsupportedSQL("database name", at: start) }
        return try name("a table")
    }

    mutating func names() throws(StoreError) -> [SQLName] {
        try expect(.leftParenthesis)
        var names: [SQLName] = []
        repeat {
            let offset = offset
            names.append(SQLName(table: nil, name: try name("a column"), quote: .double, offset: offset))
        } while take(.comma)
        try expect(.rightParenthesis)
        return names
    }
}

/// Reads one statement of SQLite's SQL (sqlite.org/lang.html), or the part of it that is known here.
///
/// What is SQL and not known throws `unsupportedSQL`, what is no SQL throws `syntax`.
struct SQLParser {
    /// How deep an expression may be as it is read, and how high as a tree, where ANDs, ORs and concatenations in a row
    /// are one level. Others are refused before they can exhaust the 512 KiB of a small thread's stack, in a build
    /// without optimization.
    static let maximumNesting = 40
    static let maximumHeight = 60

    let source: [UInt8]
    private let tokens: [SQLToken]
    private var position = 0
    var parameters = SQLParameters()
    /// How deep the expression is that was read last, and how many are being read.
    var height = 0
    var nesting = 0
    /// True behind the first constraint of a table, where no column may come.
    var hasTableConstraint = false

    private init(_ source: [UInt8]) throws(StoreError) {
        self.source = source
        tokens = try SQLLexer.tokens(of: source)
    }

    /// - Throws: `StoreError`: `syntax`, also for no or several statements; `unsupportedSQL`; `misuse` for statements
    ///   that begin or end a transaction.
    static func statement(_ sql: String) throws(StoreError) -> SQLStatement {
        guard !sql.utf8.contains(0) else { throw StoreError(.syntax, "unrecognized token: NUL") }
        var parser = try SQLParser(Array(sql.utf8))
        while parser.take(.semicolon) {}
        let kind = try parser.statement()
        while parser.take(.semicolon) {}
        guard parser.current.kind == .end else {
            throw parser.unexpected("the end of the statement")
        }
        return SQLStatement(kind: kind, parameterCount: parser.parameters.count)
    }

    /// Reads a table's definition from the text that `sqlite_master` shows.
    static func table(_ text: String) throws(StoreError) -> SQLTableDefinition {
        guard case .createTable(let definition, _) = try statement(text).kind else {
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
        case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE":
            throw StoreError(
                .misuse, "A statement cannot begin or end a transaction; use transaction(_:).", offset: offset)
        case "VALUES", "WITH", "PRAGMA", "EXPLAIN", "ANALYZE", "ATTACH", "DETACH", "REINDEX", "VACUUM":
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
    /// Where the token before this one starts and ends.
    var startOfLast: Int { position > 0 ? tokens[position - 1].range.lowerBound : 0 }
    var endOfLast: Int { position > 0 ? tokens[position - 1].range.upperBound : 0 }

    mutating func advance() { if position < tokens.count - 1 { position += 1 } }

    func sees(_ sign: SQLToken.Sign) -> Bool { current.kind == .sign(sign) }
    func sees(_ keyword: String) -> Bool { current.keyword == keyword }

    mutating func take(_ sign: SQLToken.Sign) -> Bool {
        guard sees(sign) else { return false }
        advance()
        return true
    }

    mutating func take(_ keyword: String) -> Bool {
        guard sees(keyword) else { return false }
        advance()
        return true
    }

    mutating func expect(_ sign: SQLToken.Sign) throws(StoreError) {
        guard take(sign) else { throw unexpected("\"\(sign.rawValue)\"") }
    }

    mutating func expect(_ keyword: String) throws(StoreError) {
        guard take(keyword) else { throw unexpected(keyword) }
    }

    /// The error for a token that cannot stand here. It names signs and keywords only: a word may be a piece of a value.
    func unexpected(_ expectation: String) -> StoreError {
        let found =
            switch current.kind {
            case .end: "the end of the statement"
            case .sign(let sign): "\"\(sign.rawValue)\""
            case .word(let word, .none) where SQLKeywords.isReserved(word): "\"\(word)\""
            case .word: "a name"
            case .text, .blob, .integer, .real: "a value"
            case .position, .named: "a parameter"
            }
        return .syntax("near \(found): syntax error; expected \(expectation)", at: offset)
    }

    /// Throws `unsupportedSQL` when one of these words comes next.
    func refuse(_ keywords: String...) throws(StoreError) {
        if let keyword = current.keyword, keywords.contains(keyword) { throw .unsupportedSQL(keyword, at: offset) }
    }

    func text(_ range: Range<Int>) -> String { String(decoding: source[range], as: UTF8.self) }

    // MARK: Names

    /// A name of a table or a column. As in SQLite, one in single quotes is as good here.
    mutating func name(_ what: String) throws(StoreError) -> String {
        guard let name = nameIfAny() else { throw unexpected("the name of \(what)") }
        advance()
        return name
    }

    /// The name that the current token is, if it is one.
    func nameIfAny() -> String? {
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
        guard SQLIdentifier(first) == "main" else { throw .unsupportedSQL("the name of a database", at: start) }
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

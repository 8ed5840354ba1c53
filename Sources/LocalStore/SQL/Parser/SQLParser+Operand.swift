import StoreCore

extension SQLParser {
    /// Parses an operand: a literal, name, call, parenthesized expression or prefix operator.
    mutating func operand() throws(StoreError) -> SQLExpression {
        height = 0
        switch current.kind {
        case .integer(let value): return literal(.integer(value))
        case .real(let value): return literal(.real(value))
        case .text(let bytes): return try textOperand(bytes)
        case .blob(let bytes): return literal(.blob(bytes[...]))
        case .numberedParameter(let number):
            advance()
            return .parameter(parameters.index(number: number))
        case .namedParameter(let name):
            advance()
            return .parameter(parameters.index(name: name))
        case .symbol(.leftParenthesis): return try parenthesized()
        case .symbol(let symbol): return try symbolOperand(symbol)
        case .word(let word, let quote): return try wordOperand(word, quote)
        case .end: throw unexpected("an expression")
        }
    }

    private mutating func literal(_ value: SQLValue) -> SQLExpression {
        advance()
        return .value(value)
    }

    private mutating func textOperand(_ bytes: [UInt8]) throws(StoreError) -> SQLExpression {
        if following.kind == .symbol(.dot) { return try nameOperand(String(decoding: bytes, as: UTF8.self), .double) }
        return literal(.text(bytes[...]))
    }

    private mutating func symbolOperand(_ symbol: SQLToken.Symbol) throws(StoreError) -> SQLExpression {
        let start = offset
        advance()
        switch symbol {
        case .minus:
            if let number = try negatedNumber() ?? negatedMinimum() { return number }
            return try prefixed { .negate($0) }
        case .plus: return try prefixed { .unaryPlus($0) }
        case .not: return try prefixed { .complement($0) }
        default: throw .syntax("near \"\(symbol.rawValue)\": syntax error; expected an expression", at: start)
        }
    }

    private mutating func parenthesized() throws(StoreError) -> SQLExpression {
        let start = offset
        advance()
        try rejectUnsupported("SELECT", "WITH", "VALUES")
        let inner = try expression()
        if isAt(.comma) { throw .unsupportedSQL("row value", at: start) }
        try expect(.rightParenthesis)
        return inner
    }

    /// Parses the number after a minus sign, if there is one. The sign is part of the literal: -9223372036854775808 has
    /// no positive counterpart.
    mutating func negatedNumber() throws(StoreError) -> SQLExpression? {
        switch current.kind {
        case .integer(.min): throw .syntax("hex literal too big: more than 64 bits when negated", at: offset)
        // Unlike 0, -0 does not make an AND zero at once.
        case .integer(0): return nil
        case .integer(let value): return literal(.integer(-value))
        case .real(let value):
            return literal(isMinimum ? .integer(.min) : .real(-value))
        default: return nil
        }
    }

    /// Parses `(9223372036854775808)` after a minus sign: to SQLite, parentheses are no part of an expression.
    private mutating func negatedMinimum() -> SQLExpression? {
        var ahead = self
        var depth = 0
        while ahead.take(.leftParenthesis) { depth += 1 }
        guard depth > 0, ahead.isMinimum else { return nil }
        let number = ahead.literal(.integer(.min))
        for _ in 0..<depth where !ahead.take(.rightParenthesis) { return nil }
        self = ahead
        return number
    }

    /// True at the digits of the smallest integer.
    private var isMinimum: Bool {
        source[current.range].drop { $0 == UInt8(ascii: "0") }.elementsEqual("9223372036854775808".utf8)
    }

    private mutating func prefixed(_ make: (SQLExpression) -> SQLExpression) throws(StoreError) -> SQLExpression {
        let operand = try operand(above: .concatenation)
        height += 1
        return make(operand)
    }

    // MARK: Words

    /// The kind of operand that starts with a word.
    private enum WordOperand { case null, not, `case`, cast, call, name }

    private mutating func wordOperand(_ word: String, _ quote: SQLToken.Quote) throws(StoreError) -> SQLExpression {
        switch try operandKind(of: word, quote) {
        case .null: return literal(.null)
        case .not: return try negation()
        case .case: return try caseExpression()
        case .cast: return try cast()
        case .call: return try call(word)
        case .name: return try nameOperand(word, quote)
        }
    }

    private func operandKind(of word: String, _ quote: SQLToken.Quote) throws(StoreError) -> WordOperand {
        guard quote == .none else { return .name }
        let isCall = following.kind == .symbol(.leftParenthesis)
        switch word.asciiUppercased {
        case "NULL": return .null
        case "NOT": return .not
        case "CASE": return .case
        case "CAST" where isCall: return .cast
        case let keyword?
        where ["EXISTS", "RAISE", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"].contains(keyword):
            throw .unsupportedSQL(keyword, at: offset)
        default:
            guard !SQLKeywords.isReserved(word) else { throw unexpected("an expression") }
            return isCall ? .call : .name
        }
    }

    private mutating func negation() throws(StoreError) -> SQLExpression {
        advance()
        if isAt("EXISTS") { throw .unsupportedSQL("EXISTS", at: offset) }
        let operand = try operand(above: .not)
        height += 1
        return .not(operand)
    }

    private mutating func nameOperand(_ first: String, _ quote: SQLToken.Quote) throws(StoreError) -> SQLExpression {
        let start = offset
        advance()
        guard take(.dot) else {
            return .column(
                SQLName(
                    table: nil, name: first, quote: quote, offset: start,
                    isTextOtherwise: quote == .double && allowsDoubleQuotedText))
        }
        let column = try name("a column")
        guard !isAt(.dot) else { throw .unsupportedSQL("database name", at: start) }
        return .column(SQLName(table: first, name: column, quote: .bracket, offset: start))
    }

    private mutating func call(_ word: String) throws(StoreError) -> SQLExpression {
        let start = offset
        advance()
        advance()
        var arguments: [SQLExpression] = []
        var isStar = false
        var isDistinct = false
        if isAt(.star), following.kind == .symbol(.rightParenthesis) {
            advance()
            advance()
            isStar = true
            height = 0
        } else {
            try rejectUnsupported("SELECT", "WITH", "ORDER")
            isDistinct = take("DISTINCT")
            if !isDistinct { _ = take("ALL") }
            (arguments, _) = try expressionList()
        }
        let filter = try filterClause()
        height += 1
        try rejectUnsupported("OVER")
        return .call(
            SQLCall(
                name: word.asciiLowercased, arguments: arguments, isStar: isStar, isDistinct: isDistinct,
                filter: filter, offset: start))
    }

    private mutating func filterClause() throws(StoreError) -> SQLExpression? {
        guard isAt("FILTER"), following.kind == .symbol(.leftParenthesis) else { return nil }
        advance()
        advance()
        try expect("WHERE")
        let argumentHeight = height
        let condition = try expression()
        try expect(.rightParenthesis)
        height = max(height, argumentHeight)
        return condition
    }

    private mutating func caseExpression() throws(StoreError) -> SQLExpression {
        advance()
        var highest = 0
        func raised(_ height: Int) -> Int { max(highest, height) }
        var base: SQLExpression?
        if !isAt("WHEN") {
            base = try expression()
            highest = raised(height)
        }
        var branches: [SQLExpression.Branch] = []
        while take("WHEN") {
            let condition = try expression()
            highest = raised(height)
            try expect("THEN")
            let result = try expression()
            highest = raised(height)
            branches.append(SQLExpression.Branch(condition: condition, result: result))
        }
        guard !branches.isEmpty else { throw unexpected("WHEN") }
        var otherwise: SQLExpression?
        if take("ELSE") {
            otherwise = try expression()
            highest = raised(height)
        }
        try expect("END")
        height = highest + 1
        return .case(base, branches, otherwise: otherwise)
    }

    private mutating func cast() throws(StoreError) -> SQLExpression {
        advance()
        advance()
        let operand = try expression()
        try expect("AS")
        let type = try typeName()
        try expect(.rightParenthesis)
        height += 1
        // Unlike that of a column, a missing type is numeric.
        return .cast(operand, type.isEmpty ? .numeric : ColumnAffinity(declaredType: type))
    }

    /// Parses a type name: words, then one or two numbers in parentheses; empty if there is none.
    mutating func typeName() throws(StoreError) -> String {
        let start = offset
        while case .word(let word, let quote) = current.kind {
            if quote == .none, SQLKeywords.isReserved(word) || word.asciiUppercased == "GENERATED" {
                break
            }
            advance()
        }
        guard previousEnd > start else { return "" }
        if take(.leftParenthesis) {
            try signedNumber()
            if take(.comma) { try signedNumber() }
            try expect(.rightParenthesis)
        }
        return text(start..<previousEnd)
    }

    private mutating func signedNumber() throws(StoreError) {
        if !take(.plus) { _ = take(.minus) }
        switch current.kind {
        case .integer, .real: advance()
        default: throw unexpected("a number")
        }
    }
}

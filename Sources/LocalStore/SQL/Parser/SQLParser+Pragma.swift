import StoreCore

extension SQLParser {
    /// Parses `PRAGMA user_version`, with `= value` or `(value)` to set it; other pragmas are not supported.
    mutating func pragma() throws(StoreError) -> SQLStatement.Kind {
        let start = offset
        try expect("PRAGMA")
        guard SQLIdentifier(try tableName()) == "user_version" else { throw .unsupportedSQL("PRAGMA", at: start) }
        if take(.equal) { return .userVersion(try pragmaValue()) }
        guard take(.leftParenthesis) else { return .userVersion(nil) }
        let value = try pragmaValue()
        try expect(.rightParenthesis)
        return .userVersion(value)
    }

    /// Parses a pragma's value: a number with an optional sign, a name or a text. As in SQLite, its leading digits
    /// count, and a value without them, or beyond 32 bits, is 0.
    private mutating func pragmaValue() throws(StoreError) -> Int32 {
        let isNegative = take(.minus)
        let hasSign = isNegative || take(.plus)
        let bytes: [UInt8]
        switch current.kind {
        case .integer, .real: bytes = Array(source[current.range])
        case .word(let word, let quote) where !hasSign:
            let isKeyword = ["ON", "DELETE", "DEFAULT"].contains(current.keyword)
            guard quote != .none || isKeyword || !SQLKeywords.isReserved(word) else { throw unexpected("a value") }
            bytes = Array(word.utf8)
        case .text(let text) where !hasSign: bytes = text
        default: throw unexpected("a value")
        }
        advance()
        return SQLNumber.int32((isNegative ? [UInt8(ascii: "-")] : []) + bytes)
    }
}

extension SQLNumber {
    /// Parses the integer at the start of a text as `sqlite3Atoi` does: decimal, or hexadecimal without a sign.
    /// - Returns: 0 if there is none, or if it exceeds 32 bits.
    static func int32(_ text: [UInt8]) -> Int32 {
        var digits = text[...]
        let sign = digits.first
        if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            digits = digits.dropFirst()
        } else if digits.count > 2, digits[0] == UInt8(ascii: "0"), digits[1] | 0x20 == UInt8(ascii: "x"),
            SQLLexer.hexValue(digits[2]) != nil
        {
            let hex = digits.dropFirst(2).prefix { SQLLexer.hexValue($0) != nil }
            return Int32(String(decoding: hex, as: UTF8.self), radix: 16) ?? 0
        }
        let number = String(decoding: digits.prefix(while: SQLCursor.isDigit), as: UTF8.self)
        return Int32((sign == UInt8(ascii: "-") ? "-" : "") + number) ?? 0
    }
}

import StoreCore

/// A lexer with the token rules of SQLite (sqlite.org/lang_keywords.html, lang_expr.html).
struct SQLLexer {
    private var cursor: SQLCursor

    init(_ bytes: [UInt8]) { cursor = SQLCursor(bytes) }

    /// All tokens; the last one is `end`.
    static func tokens(of bytes: [UInt8]) throws(StoreError) -> [SQLToken] {
        var lexer = SQLLexer(bytes)
        var tokens: [SQLToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private mutating func next() throws(StoreError) -> SQLToken {
        cursor.skipSpace()
        let start = cursor.position
        guard !cursor.isAtEnd else { return SQLToken(kind: .end, range: start..<start) }
        let kind = try kind()
        return SQLToken(kind: kind, range: start..<cursor.position)
    }

    private mutating func kind() throws(StoreError) -> SQLToken.Kind {
        switch cursor.byte() {
        case UInt8(ascii: "'"): return .text(try quoted())
        case UInt8(ascii: "\""): return .word(try name(), .double)
        case UInt8(ascii: "`"): return .word(try name(), .backtick)
        case UInt8(ascii: "["): return .word(try name(in: "bracket"), .bracket)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: ".") where SQLCursor.isDigit(cursor.byte(at: 1)): return try number()
        case UInt8(ascii: "?"):
            cursor.position += 1
            return .numberedParameter(try parameterNumber())
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"): return .namedParameter(try parameterName())
        case UInt8(ascii: "x") where cursor.byte(at: 1) == UInt8(ascii: "'"),
            UInt8(ascii: "X") where cursor.byte(at: 1) == UInt8(ascii: "'"):
            return .blob(try blob())
        case let first where SQLCursor.isNameByte(first) && first != UInt8(ascii: "$"):
            let start = cursor.position
            while SQLCursor.isNameByte(cursor.byte()) { cursor.position += 1 }
            return .word(String(decoding: cursor.bytes[start..<cursor.position], as: UTF8.self), .none)
        default: return .symbol(try symbol())
        }
    }

    // MARK: Symbols

    private mutating func symbol() throws(StoreError) -> SQLToken.Symbol {
        for length in [3, 2, 1] where cursor.position + length <= cursor.bytes.count {
            let text = String(decoding: cursor.bytes[cursor.position..<cursor.position + length], as: UTF8.self)
            if let symbol = SQLToken.Symbol(rawValue: text) {
                cursor.position += length
                return symbol
            }
        }
        throw .syntax("unrecognized token", at: cursor.position)
    }

    // MARK: Quotes

    /// The bytes between two quotes or brackets.
    private mutating func quoted(_ delimiter: String = "quote") throws(StoreError) -> [UInt8] {
        let start = cursor.position
        guard let content = cursor.quoted() else {
            throw .syntax("unrecognized token: a \(delimiter) is not closed", at: start)
        }
        return content
    }

    private mutating func name(in delimiter: String = "quote") throws(StoreError) -> String {
        String(decoding: try quoted(delimiter), as: UTF8.self)
    }

    private mutating func blob() throws(StoreError) -> [UInt8] {
        let start = cursor.position
        cursor.position += 1
        let digits = try quoted().map(Self.hexValue)
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else {
            throw .syntax("unrecognized token: a blob needs an even number of hexadecimal digits", at: start)
        }
        return stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
    }

    // MARK: Numbers and parameters

    private mutating func number() throws(StoreError) -> SQLToken.Kind {
        let start = cursor.position
        if cursor.byte() == UInt8(ascii: "0"), cursor.byte(at: 1) | 0x20 == UInt8(ascii: "x"),
            Self.hexValue(cursor.byte(at: 2)) != nil
        {
            cursor.position += 2
            return try hexNumber(from: start)
        }
        var isReal = false
        while SQLCursor.isDigit(cursor.byte()) { cursor.position += 1 }
        if cursor.byte() == UInt8(ascii: ".") {
            isReal = true
            cursor.position += 1
            while SQLCursor.isDigit(cursor.byte()) { cursor.position += 1 }
        }
        if cursor.byte() | 0x20 == UInt8(ascii: "e") {
            let hasSign = cursor.byte(at: 1) == UInt8(ascii: "+") || cursor.byte(at: 1) == UInt8(ascii: "-")
            if SQLCursor.isDigit(cursor.byte(at: hasSign ? 2 : 1)) {
                isReal = true
                cursor.position += hasSign ? 2 : 1
                while SQLCursor.isDigit(cursor.byte()) { cursor.position += 1 }
            }
        }
        guard !SQLCursor.isNameByte(cursor.byte()) else {
            throw .syntax("unrecognized token: a number is followed by a letter", at: start)
        }
        let digits = cursor.bytes[start..<cursor.position]
        if !isReal, let integer = SQLNumber.integer(digits), integer.isWhole { return .integer(integer.value) }
        return .real(SQLNumber.real(digits).value)
    }

    private mutating func hexNumber(from start: Int) throws(StoreError) -> SQLToken.Kind {
        var value: UInt64 = 0
        while let digit = Self.hexValue(cursor.byte()) {
            guard value >> 60 == 0 else { throw .syntax("hex literal too big: more than 64 bits", at: start) }
            value = value << 4 | UInt64(digit)
            cursor.position += 1
        }
        guard !SQLCursor.isNameByte(cursor.byte()) else {
            throw .syntax("unrecognized token: a number is followed by a letter", at: start)
        }
        return .integer(Int64(bitPattern: value))
    }

    private mutating func parameterNumber() throws(StoreError) -> Int? {
        let start = cursor.position
        while SQLCursor.isDigit(cursor.byte()) { cursor.position += 1 }
        guard cursor.position > start else { return nil }
        let number = Int(String(decoding: cursor.bytes[start..<cursor.position], as: UTF8.self))
        guard let number, (1...32766).contains(number) else {
            throw .syntax("variable number must be between ?1 and ?32766", at: start)
        }
        return number
    }

    private mutating func parameterName() throws(StoreError) -> String {
        let start = cursor.position
        cursor.position += 1
        while SQLCursor.isNameByte(cursor.byte()) { cursor.position += 1 }
        guard cursor.position > start + 1 else {
            throw .syntax("unrecognized token: a parameter has no name", at: start)
        }
        return String(decoding: cursor.bytes[start..<cursor.position], as: UTF8.self)
    }

    // MARK: Bytes

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}

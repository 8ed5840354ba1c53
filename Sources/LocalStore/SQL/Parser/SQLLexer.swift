/// A lexer with the token rules of SQLite (sqlite.org/lang_keywords.html, lang_expr.html).
struct SQLLexer {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// All tokens; the last one is `end`.
    static func tokens(of bytes: [UInt8]) throws(StoreError) -> [SQLToken] {
        var lexer = SQLLexer(bytes)
        var tokens: [SQLToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private func byte(at offset: Int = 0) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private mutating func next() throws(StoreError) -> SQLToken {
        try skipSpace()
        let start = position
        guard start < bytes.count else { return SQLToken(kind: .end, range: start..<start) }
        let kind = try kind()
        return SQLToken(kind: kind, range: start..<position)
    }

    private mutating func kind() throws(StoreError) -> SQLToken.Kind {
        switch byte() {
        case UInt8(ascii: "'"): return .text(try quoted(until: UInt8(ascii: "'")))
        case UInt8(ascii: "\""): return .word(try name(until: UInt8(ascii: "\"")), .double)
        case UInt8(ascii: "`"): return .word(try name(until: UInt8(ascii: "`")), .backtick)
        case UInt8(ascii: "["): return .word(try bracketed(), .bracket)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: ".") where Self.isDigit(byte(at: 1)): return try number()
        case UInt8(ascii: "?"):
            position += 1
            return .numberedParameter(try parameterNumber())
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"): return .namedParameter(try parameterName())
        case UInt8(ascii: "x") where byte(at: 1) == UInt8(ascii: "'"),
            UInt8(ascii: "X") where byte(at: 1) == UInt8(ascii: "'"):
            return .blob(try blob())
        case let first where Self.isNameByte(first) && first != UInt8(ascii: "$"):
            let start = position
            while Self.isNameByte(byte()) { position += 1 }
            return .word(String(decoding: bytes[start..<position], as: UTF8.self), .none)
        default: return .symbol(try symbol())
        }
    }

    // MARK: Space and symbols

    private mutating func skipSpace() throws(StoreError) {
        while true {
            if Self.isSpace(byte()) {
                position += 1
            } else if byte() == UInt8(ascii: "-"), byte(at: 1) == UInt8(ascii: "-") {
                while position < bytes.count, byte() != UInt8(ascii: "\n") { position += 1 }
            } else if byte() == UInt8(ascii: "/"), byte(at: 1) == UInt8(ascii: "*") {
                position += 2
                // An unterminated comment extends to the end of the text.
                while position < bytes.count, !(byte() == UInt8(ascii: "*") && byte(at: 1) == UInt8(ascii: "/")) {
                    position += 1
                }
                position = min(position + 2, bytes.count)
            } else {
                return
            }
        }
    }

    private mutating func symbol() throws(StoreError) -> SQLToken.Symbol {
        for length in [3, 2, 1] where position + length <= bytes.count {
            let text = String(decoding: bytes[position..<position + length], as: UTF8.self)
            if let symbol = SQLToken.Symbol(rawValue: text) {
                position += length
                return symbol
            }
        }
        throw .syntax("unrecognized token", at: position)
    }

    // MARK: Quotes

    /// The bytes between two quotes; a doubled quote is an escaped one.
    private mutating func quoted(until quote: UInt8) throws(StoreError) -> [UInt8] {
        let start = position
        var text: [UInt8] = []
        position += 1
        while position < bytes.count {
            if byte() == quote {
                position += 1
                guard byte() == quote, position < bytes.count else { return text }
            }
            text.append(byte())
            position += 1
        }
        throw .syntax("unrecognized token: a quote is not closed", at: start)
    }

    private mutating func name(until quote: UInt8) throws(StoreError) -> String {
        String(decoding: try quoted(until: quote), as: UTF8.self)
    }

    private mutating func bracketed() throws(StoreError) -> String {
        let start = position
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "]")) else {
            throw .syntax("unrecognized token: a bracket is not closed", at: start)
        }
        position = end + 1
        return String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
    }

    private mutating func blob() throws(StoreError) -> [UInt8] {
        let start = position
        position += 1
        let digits = try quoted(until: UInt8(ascii: "'")).map(Self.hexValue)
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else {
            throw .syntax("unrecognized token: a blob needs an even number of hexadecimal digits", at: start)
        }
        return stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
    }

    // MARK: Numbers and parameters

    private mutating func number() throws(StoreError) -> SQLToken.Kind {
        let start = position
        if byte() == UInt8(ascii: "0"), byte(at: 1) | 0x20 == UInt8(ascii: "x"), Self.hexValue(byte(at: 2)) != nil {
            position += 2
            return try hexNumber(from: start)
        }
        var isReal = false
        while Self.isDigit(byte()) { position += 1 }
        if byte() == UInt8(ascii: ".") {
            isReal = true
            position += 1
            while Self.isDigit(byte()) { position += 1 }
        }
        if byte() | 0x20 == UInt8(ascii: "e") {
            let hasSign = byte(at: 1) == UInt8(ascii: "+") || byte(at: 1) == UInt8(ascii: "-")
            if Self.isDigit(byte(at: hasSign ? 2 : 1)) {
                isReal = true
                position += hasSign ? 2 : 1
                while Self.isDigit(byte()) { position += 1 }
            }
        }
        guard !Self.isNameByte(byte()) else {
            throw .syntax("unrecognized token: a number is followed by a letter", at: start)
        }
        let digits = bytes[start..<position]
        if !isReal, let integer = SQLNumber.integer(digits), integer.isWhole { return .integer(integer.value) }
        return .real(SQLNumber.real(digits).value)
    }

    private mutating func hexNumber(from start: Int) throws(StoreError) -> SQLToken.Kind {
        var value: UInt64 = 0
        while let digit = Self.hexValue(byte()) {
            guard value >> 60 == 0 else { throw .syntax("hex literal too big: more than 64 bits", at: start) }
            value = value << 4 | UInt64(digit)
            position += 1
        }
        guard !Self.isNameByte(byte()) else {
            throw .syntax("unrecognized token: a number is followed by a letter", at: start)
        }
        return .integer(Int64(bitPattern: value))
    }

    private mutating func parameterNumber() throws(StoreError) -> Int? {
        let start = position
        while Self.isDigit(byte()) { position += 1 }
        guard position > start else { return nil }
        let number = Int(String(decoding: bytes[start..<position], as: UTF8.self))
        guard let number, (1...32766).contains(number) else {
            throw .syntax("variable number must be between ?1 and ?32766", at: start)
        }
        return number
    }

    private mutating func parameterName() throws(StoreError) -> String {
        let start = position
        position += 1
        while Self.isNameByte(byte()) { position += 1 }
        guard position > start + 1 else { throw .syntax("unrecognized token: a parameter has no name", at: start) }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    // MARK: Bytes

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B }
    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) && byte < 0x80 || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$") || byte >= 0x80
    }
    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}

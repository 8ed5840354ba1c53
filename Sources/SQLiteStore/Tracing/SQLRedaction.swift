import StoreCore

/// Redaction of SQL text: comments are removed, and literals replaced by `…`.
///
/// A scanner of SQLite's tokens (sqlite.org/lang_expr.html#literal_values_constants_) that accepts any text. What it
/// cannot classify, such as an unterminated string, is replaced too.
struct SQLRedaction {
    private static let placeholder = "…"

    private var cursor: SQLCursor
    private var output = ""
    private let isName: (String) -> Bool

    /// Returns the redacted text, with each run of white space as one space.
    /// - Parameter isName: returns whether text in double quotes names a part of the schema; it may be a string else.
    static func redact(_ sql: String, isName: (String) -> Bool) -> String {
        withoutActuallyEscaping(isName) { isName in
            var redaction = SQLRedaction(cursor: SQLCursor(Array(sql.utf8)), isName: isName)
            while !redaction.cursor.isAtEnd { redaction.scanToken() }
            return redaction.output.trimmingSpaces
        }
    }

    private init(cursor: SQLCursor, isName: @escaping (String) -> Bool) {
        self.cursor = cursor
        self.isName = isName
    }

    /// The byte at an offset from the current one; 0 after the end.
    private func byte(_ offset: Int = 0) -> UInt8 { cursor.byte(at: offset) }

    private mutating func scanToken() {
        let start = cursor.position
        cursor.skipSpace()
        guard cursor.position == start else {
            if output.last != " " { output += " " }
            return
        }
        switch byte() {
        case UInt8(ascii: "'"):
            _ = cursor.quoted()
            output += "'\(Self.placeholder)'"
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            guard byte(1) == UInt8(ascii: "'") else { return copy(word()) }
            cursor.position += 1
            _ = cursor.quoted()
            output += "x'\(Self.placeholder)'"
        case UInt8(ascii: "\""): copyName(where: isName)
        // SQLite never takes a name in back-ticks or brackets as a string.
        case UInt8(ascii: "`"), UInt8(ascii: "["): copyName { _ in true }
        case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
            cursor.position += 1
            _ = word()
            copy(cursor.bytes[start..<cursor.position])
        case UInt8(ascii: "0")...UInt8(ascii: "9"): scanNumber()
        case UInt8(ascii: ".") where SQLCursor.isDigit(byte(1)): scanNumber()
        case let first where SQLCursor.isNameByte(first): copy(word())
        default:
            copy(cursor.bytes[start...start])
            cursor.position += 1
        }
    }

    private mutating func copy(_ part: ArraySlice<UInt8>) { output += String(decoding: part, as: UTF8.self) }

    /// Copies a quoted name as it is written, unless it may be a string.
    private mutating func copyName(where isName: (String) -> Bool) {
        let start = cursor.position
        guard let name = cursor.quoted(), isName(String(decoding: name, as: UTF8.self)) else {
            let quote = cursor.bytes[start]
            copy([quote])
            output += Self.placeholder
            return copy([quote == UInt8(ascii: "[") ? UInt8(ascii: "]") : quote])
        }
        copy(cursor.bytes[start..<cursor.position])
    }

    /// Skips a word.
    private mutating func word() -> ArraySlice<UInt8> {
        let start = cursor.position
        while SQLCursor.isNameByte(byte()) { cursor.position += 1 }
        return cursor.bytes[start..<cursor.position]
    }

    /// Skips a number, with a sign after its exponent, and all letters and digits after it.
    private mutating func scanNumber() {
        let isHex = byte() == UInt8(ascii: "0") && byte(1) | 0x20 == UInt8(ascii: "x")
        while SQLCursor.isNameByte(byte()) || byte() == UInt8(ascii: ".") {
            let isExponent = !isHex && byte() | 0x20 == UInt8(ascii: "e")
            cursor.position += 1
            if isExponent, byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-"), SQLCursor.isDigit(byte(1)) {
                cursor.position += 1
            }
        }
        output += Self.placeholder
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var text = self[...]
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

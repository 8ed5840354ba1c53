/// Redaction of SQL text: comments are removed, and literals replaced by `…`.
///
/// A scanner of SQLite's tokens (sqlite.org/lang_expr.html#literal_values_constants_) that accepts any text. What it
/// cannot classify, such as an unterminated string, is replaced too.
struct SQLRedaction {
    private static let placeholder = "…"

    private let bytes: [UInt8]
    private var index = 0
    private var output = ""
    private let isName: (String) -> Bool

    /// Returns the redacted text, with each run of white space as one space.
    /// - Parameter isName: returns whether text in double quotes names a part of the schema; it may be a string else.
    static func redact(_ sql: String, isName: (String) -> Bool) -> String {
        withoutActuallyEscaping(isName) { isName in
            var redaction = SQLRedaction(bytes: Array(sql.utf8), isName: isName)
            while redaction.index < redaction.bytes.count { redaction.scanToken() }
            return redaction.output.trimmingSpaces
        }
    }

    private init(bytes: [UInt8], isName: @escaping (String) -> Bool) {
        self.bytes = bytes
        self.isName = isName
    }

    /// The byte at an offset from the current one; 0 after the end.
    private func byte(_ offset: Int = 0) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }

    private mutating func scanToken() {
        switch byte() {
        case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"):
            skip { $0 != UInt8(ascii: "\n") }
            space()
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
            index += 2
            while index < bytes.count, !(byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) { index += 1 }
            index = min(index + 2, bytes.count)
            space()
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 12:
            index += 1
            space()
        case UInt8(ascii: "'"):
            _ = quoted(by: UInt8(ascii: "'"))
            output += "'\(Self.placeholder)'"
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            guard byte(1) == UInt8(ascii: "'") else { return copy(word()) }
            index += 1
            _ = quoted(by: UInt8(ascii: "'"))
            output += "x'\(Self.placeholder)'"
        case UInt8(ascii: "\""): copyName(until: UInt8(ascii: "\""), where: isName)
        // SQLite never takes a name in back-ticks or brackets as a string.
        case UInt8(ascii: "`"): copyName(until: UInt8(ascii: "`")) { _ in true }
        case UInt8(ascii: "["): copyName(until: UInt8(ascii: "]")) { _ in true }
        case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
            let start = index
            index += 1
            _ = word()
            copy(bytes[start..<index])
        case UInt8(ascii: "0")...UInt8(ascii: "9"): scanNumber()
        case UInt8(ascii: ".") where Self.isDigit(byte(1)): scanNumber()
        case let first where Self.isWordByte(first): copy(word())
        default:
            copy(bytes[index...index])
            index += 1
        }
    }

    private mutating func space() { if output.last != " " { output += " " } }

    private mutating func copy(_ part: ArraySlice<UInt8>) { output += String(decoding: part, as: UTF8.self) }

    /// Copies a quoted name as it is written, unless it may be a string.
    private mutating func copyName(until quote: UInt8, where isName: (String) -> Bool) {
        let start = index
        guard let name = quoted(by: quote), isName(name) else {
            copy([bytes[start]])
            output += Self.placeholder
            return copy([quote])
        }
        copy(bytes[start..<index])
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while index < bytes.count, condition(bytes[index]) { index += 1 }
    }

    /// Skips a word.
    private mutating func word() -> ArraySlice<UInt8> {
        let start = index
        skip { Self.isWordByte($0) || Self.isDigit($0) }
        return bytes[start..<index]
    }

    /// Skips a number, with a sign after its exponent, and all letters and digits after it.
    private mutating func scanNumber() {
        let isHex = byte() == UInt8(ascii: "0") && byte(1) | 0x20 == UInt8(ascii: "x")
        while Self.isWordByte(byte()) || Self.isDigit(byte()) || byte() == UInt8(ascii: ".") {
            let isExponent = !isHex && byte() | 0x20 == UInt8(ascii: "e")
            index += 1
            if isExponent, byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-"), Self.isDigit(byte(1)) {
                index += 1
            }
        }
        output += Self.placeholder
    }

    /// Skips text up to its closing quote, of which two are one within the text; a bracket has none.
    /// - Returns: the text without quotes; nil when it is not closed.
    private mutating func quoted(by quote: UInt8) -> String? {
        index += 1
        var content: [UInt8] = []
        while index < bytes.count {
            if byte() == quote {
                guard quote != UInt8(ascii: "]"), byte(1) == quote else {
                    index += 1
                    return String(decoding: content, as: UTF8.self)
                }
                index += 1
            }
            content.append(byte())
            index += 1
        }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (97...122).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
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

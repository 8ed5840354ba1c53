import Foundation

/// The grammar of RFC 8259 as a recursive descent, written independently of the scanner, for comparison with it.
struct GrammarCheck {
    private var rest: Substring.UnicodeScalarView

    /// True if bytes are one JSON text in UTF-8.
    static func accepts(_ data: Data) -> Bool {
        guard let text = String(validating: data, as: UTF8.self) else { return false }
        var check = GrammarCheck(rest: text[...].unicodeScalars)
        check.space()
        guard check.value() else { return false }
        check.space()
        return check.rest.isEmpty
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func take(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { take($0) } }

    private mutating func space() { rest = rest.drop { " \n\r\t".unicodeScalars.contains($0) } }

    private mutating func value() -> Bool {
        switch rest.first {
        case "{": list("{", "}") { $0.string() && $0.colon() && $0.value() }
        case "[": list("[", "]") { $0.value() }
        case "\"": string()
        case "t": take("true")
        case "f": take("false")
        case "n": take("null")
        default: number()
        }
    }

    private mutating func colon() -> Bool {
        space()
        defer { space() }
        return take(":")
    }

    private mutating func list(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ element: (inout GrammarCheck) -> Bool
    ) -> Bool {
        guard take(open) else { return false }
        space()
        if take(close) { return true }
        while true {
            guard element(&self) else { return false }
            space()
            if take(close) { return true }
            guard take(",") else { return false }
            space()
        }
    }

    private mutating func digits() -> Bool {
        let count = rest.prefix { ("0"..."9").contains($0) }.count
        rest = rest.dropFirst(count)
        return count > 0
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0") {
            guard rest.first != "0", digits() else { return false }
        }
        if take("."), !digits() { return false }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            return digits()
        }
        return true
    }

    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return true
            case "\u{0}"..."\u{1F}": return false
            case "\\": guard escape() else { return false }
            default: break
            }
        }
        return false
    }

    /// An escape sequence after its backslash; surrogates must come in pairs.
    private mutating func escape() -> Bool {
        guard let scalar = rest.popFirst() else { return false }
        guard scalar == "u" else { return "\"\\/bfnrt".unicodeScalars.contains(scalar) }
        guard let unit = unit() else { return false }
        if UTF16.isTrailSurrogate(unit) { return false }
        guard UTF16.isLeadSurrogate(unit) else { return true }
        guard take("\\u"), let trail = self.unit() else { return false }
        return UTF16.isTrailSurrogate(trail)
    }

    private mutating func unit() -> UInt16? {
        let digits = rest.prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
        rest = rest.dropFirst(4)
        return UInt16(String(String.UnicodeScalarView(digits)), radix: 16)
    }
}

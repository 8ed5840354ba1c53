/// Scanner of what field values have in common: tokens, quoted strings and parameters (RFC 9110, section 5.6).
///
/// Lenient where servers are: a value that is no token ends at a separator, and a quoted string without its closing
/// quote at the end. Takes linear time.
package struct FieldScanner {
    private let bytes: [UInt8]
    /// The offset of the next byte; set it to an earlier one to go back.
    package var position = 0

    package init(_ text: String) { bytes = Array(text.utf8) }

    /// The next byte; nil at the end.
    package var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The text from an offset to the next byte.
    package func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    /// Takes a character if it is the next one.
    package mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    package mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
    }

    /// Skips to the next of some characters outside of a quoted string.
    package mutating func skipUnquoted(to isEnd: (UInt8) -> Bool) {
        while let byte = next, !isEnd(byte) {
            if byte == UInt8(ascii: "\"") { _ = takeQuotedString() } else { position += 1 }
        }
    }

    /// Takes a token; empty if there is none.
    package mutating func takeToken() -> String {
        let start = position
        skip(while: \.isHTTPTokenByte)
        return text(from: start)
    }

    /// Takes `=` and the value of a parameter; nil, without moving, if there is no `=`.
    /// - Parameter isEnd: true for the characters, besides whitespace, that end a value without quotes. Not only tokens
    ///   are taken: some servers send URLs and paths without quotes.
    package mutating func takeValue(endingAt isEnd: (UInt8) -> Bool) -> String? {
        let start = position
        skip(while: \.isHTTPWhitespace)
        guard take("=") else {
            position = start
            return nil
        }
        skip(while: \.isHTTPWhitespace)
        if next == UInt8(ascii: "\"") { return takeQuotedString() }
        let value = position
        skip { !$0.isHTTPWhitespace && !isEnd($0) }
        return text(from: value)
    }

    /// Takes a quoted string at its opening quote; one without a closing quote extends to the end.
    private mutating func takeQuotedString() -> String {
        position += 1
        var text: [UInt8] = []
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), position < bytes.count {
                byte = bytes[position]
                position += 1
            }
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Takes the parameters behind an element, each after a semicolon, up to the next comma or the end.
    ///
    /// What is no parameter is skipped.
    /// - Parameter endsAtComma: false for a field that is no list, where a comma is a part of a value.
    mutating func takeParameters(endsAtComma: Bool) -> FieldParameters {
        var parameters = FieldParameters()
        let isEnd: (UInt8) -> Bool = { $0 == UInt8(ascii: ";") || endsAtComma && $0 == UInt8(ascii: ",") }
        while true {
            skipUnquoted(to: isEnd)
            guard take(";") else { return parameters }
            skip(while: \.isHTTPWhitespace)
            let name = takeToken().lowercased()
            let value = takeValue(endingAt: isEnd)
            if !name.isEmpty { parameters.append(name, value ?? "") }
        }
    }
}

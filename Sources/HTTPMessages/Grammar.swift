// The character classes of RFC 9110, section 5.6, that several parts of a message share.

extension UInt8 {
    /// A character of a token.
    package var isHTTPTokenByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    /// A space or a horizontal tab.
    package var isHTTPBlank: Bool { self == 0x20 || self == 0x09 }
}

extension String {
    /// True when the text is a token: at least one character, token characters only.
    package var isHTTPToken: Bool { !utf8.isEmpty && utf8.allSatisfy(\.isHTTPTokenByte) }

    /// True when the text may be sent as a field's value: no control character but the horizontal tab.
    package var isHTTPFieldValue: Bool { utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 } }

    /// The text without the blanks around it, which are not part of a field's value (RFC 9110, section 5.5).
    package var trimmingHTTPBlanks: String {
        guard let first = utf8.first, let last = utf8.last, first.isHTTPBlank || last.isHTTPBlank else { return self }
        let rest = utf8.drop(while: \.isHTTPBlank)
        let end = rest.lastIndex { !$0.isHTTPBlank }.map(rest.index(after:)) ?? rest.startIndex
        return String(rest[..<end]) ?? ""
    }
}

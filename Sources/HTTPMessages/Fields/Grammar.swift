// Character classes of RFC 9110, section 5.6.

extension UInt8 {
    /// True for a `tchar`, a character of a token.
    package var isHTTPTokenByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    /// True for a space or a horizontal tab (OWS).
    package var isHTTPWhitespace: Bool { self == 0x20 || self == 0x09 }
}

extension String {
    /// True for a token: one or more `tchar`.
    package var isHTTPToken: Bool { !utf8.isEmpty && allBytes(\.isHTTPTokenByte) }

    /// True for a valid field value: no control characters except the horizontal tab.
    package var isHTTPFieldValue: Bool { allBytes { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 } }

    private var hasOuterHTTPWhitespace: Bool {
        func check(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
            bytes.first?.isHTTPWhitespace == true || bytes.last?.isHTTPWhitespace == true
        }
        return utf8.withContiguousStorageIfAvailable { check($0) } ?? check(utf8)
    }

    /// Checks all bytes, in the memory of the string where it has one: its view costs more for each byte.
    @inline(__always) private func allBytes(_ isValid: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isValid) } ?? utf8.allSatisfy(isValid)
    }

    /// The string without leading and trailing OWS, which is not part of a field value (RFC 9110, section 5.5).
    package var trimmingHTTPWhitespace: String {
        guard hasOuterHTTPWhitespace else { return self }
        let rest = utf8.drop(while: \.isHTTPWhitespace)
        let end = rest.lastIndex { !$0.isHTTPWhitespace }.map(rest.index(after:)) ?? rest.startIndex
        return String(rest[..<end]) ?? ""
    }
}

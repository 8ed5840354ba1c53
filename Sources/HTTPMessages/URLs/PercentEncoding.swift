// Percent-encoding (RFC 3986, section 2.1).
// Per-byte functions are @inlinable, because an unspecialized generic call into another module for each byte is slow.

extension [UInt8] {
    /// Appends path and query, percent-encoding invalid characters and dropping the fragment.
    ///
    /// Foundation's encoding is unsuitable: if any character is invalid, it also encodes every `%`.
    /// - Returns: true if there is a query.
    /// - Throws: `HTTPMessageError` (`invalidURL`) for line breaks and other control characters.
    @discardableResult
    package mutating func append(pathAndQuery tail: Substring.UTF8View) throws(HTTPMessageError) -> Bool {
        var hasQuery = false
        var rest = tail
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "#"):
                return hasQuery
            case UInt8(ascii: "?"):
                hasQuery = true
                append(byte)
            case UInt8(ascii: "%"):
                if rest.escapedByte == nil { append(percentEncoded: byte) } else { append(byte) }
            case 0..<0x20, 0x7F:
                throw HTTPMessageError(
                    .invalidURL,
                    "Invalid URL: path or query contains a line break or another control character; percent-encode it.")
            default:
                if byte.isURLByte { append(byte) } else { append(percentEncoded: byte) }
            }
        }
        return hasQuery
    }

    /// Appends a byte as `%XX`.
    @inlinable package mutating func append(percentEncoded byte: UInt8) {
        append(UInt8(ascii: "%"))
        append(Self.hexDigit(byte >> 4))
        append(Self.hexDigit(byte & 0xF))
    }

    @usableFromInline static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension Collection<UInt8> {
    /// The byte encoded by the first two hexadecimal digits; nil if they are not digits.
    @inlinable package var escapedByte: UInt8? {
        var digits = prefix(2).makeIterator()
        guard let high = digits.next()?.hexValue, let low = digits.next()?.hexValue else { return nil }
        return high << 4 | low
    }

    /// The bytes without their percent-encoding. A `%` without two hexadecimal digits stays as it is.
    /// - Parameter plusIsSpace: true reads `+` as a space, as in forms.
    @inlinable package func percentDecoded(plusIsSpace: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var rest = self[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let escaped = rest.escapedByte {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }
}

extension Substring {
    /// The text without its percent-encoding. An invalid escape stays as it is, and bytes that are not UTF-8 are
    /// replaced: one of them must hide no other character.
    package var decodedLeniently: String { String(decoding: utf8.percentDecoded(), as: UTF8.self) }

    /// The parts between bytes of ASCII, also where a combining character follows one.
    func parts(at separator: Unicode.Scalar) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// The part before a byte of ASCII, or all of it.
    func part(before end: Unicode.Scalar) -> Substring { Substring(utf8.prefix { $0 != UInt8(ascii: end) }) }
}

extension UInt8 {
    /// True for characters valid in both path and query: `pchar` and `/` (RFC 3986, section 3.3).
    fileprivate var isURLByte: Bool {
        switch self {
        // Letters, with @ before them; digits, with / before them and : and ; behind them.
        case 0x40...0x5A, 0x61...0x7A, 0x2F...0x3B: true
        // ! $ & ' ( ) * + , - . = _ ~
        case 0x21, 0x24, 0x26...0x2E, 0x3D, 0x5F, 0x7E: true
        default: false
        }
    }

    @usableFromInline var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

// Percent-encoding (RFC 3986, section 2.1) of what is written into URLs, and of what cannot stand in them.
// What other modules call for single bytes can be inlined: a generic call across modules for each byte is slow.

extension [UInt8] {
    /// Appends a path and a query up to a fragment, with everything percent-encoded that must be.
    ///
    /// Foundation's own encoding will not do: once it has to encode anything, it encodes every `%` as well.
    /// - Returns: true when there is a query.
    /// - Throws: `HTTPMessageError` (`invalidURL`) for blanks, line breaks and control characters.
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
            case 0...0x20, 0x7F:
                throw HTTPMessageError(
                    .invalidURL, "The URL's path or query contains a blank or a control character; percent-encode it.")
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
    /// The byte that the first two characters are the hexadecimal digits of, or nil.
    @inlinable package var escapedByte: UInt8? {
        var digits = prefix(2).makeIterator()
        guard let high = digits.next()?.hexValue, let low = digits.next()?.hexValue else { return nil }
        return high << 4 | low
    }
}

extension UInt8 {
    /// A character that may stand in a path and a query: `pchar` and the slash (RFC 3986, section 3.3).
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

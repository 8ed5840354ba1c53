import HTTPMessages

/// How names and values are written between `?` or `&` and `=`.
public enum QueryEncoding: Hashable, Sendable {
    /// Every byte but letters, digits and `-._~` as `%XX` (RFC 3986, section 2.1); a space is `%20`. For URLs.
    case percent
    /// `application/x-www-form-urlencoded` (WHATWG URL, section 5): a space is `+`, and `*-._` stay. For bodies.
    case form

    fileprivate func keeps(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "~"): self == .percent
        case UInt8(ascii: "*"): self == .form
        default: byte.isUnreserved
        }
    }
}

extension UInt8 {
    /// Letters, digits and `-._~` (RFC 3986, section 2.3).
    var isUnreserved: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}

extension [UInt8] {
    /// Appends a text, encoded.
    mutating func append(_ text: String, as encoding: QueryEncoding) {
        for byte in text.utf8 {
            if encoding.keeps(byte) {
                append(byte)
            } else if byte == 0x20, encoding == .form {
                append(UInt8(ascii: "+"))
            } else {
                append(percentEncoded: byte)
            }
        }
    }
}

extension Collection<UInt8> {
    /// The text that the bytes encode. A `%` without two hexadecimal digits stands for itself.
    func decoded(as encoding: QueryEncoding) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var rest = self[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where encoding == .form:
                bytes.append(0x20)
            case UInt8(ascii: "%"):
                if let value = rest.escapedByte {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            default:
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

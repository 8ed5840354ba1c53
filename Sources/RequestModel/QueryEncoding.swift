import Foundation
import HTTPMessages

/// Encoding of parameter names and values.
public enum QueryEncoding: Hashable, Sendable {
    /// Percent-encodes all bytes except letters, digits and `-._~` (RFC 3986, section 2.1). For URLs.
    case percent
    /// `application/x-www-form-urlencoded` (WHATWG URL, section 5): a space is `+`, `*-._` are unchanged. For bodies.
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
    /// True for letters, digits and `-._~` (RFC 3986, section 2.3).
    var isUnreserved: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}

extension [UInt8] {
    /// Appends an encoded string.
    mutating func append(_ text: String, as encoding: QueryEncoding, in charset: String.Encoding = .utf8) {
        if charset == .utf8 { append(text.utf8, as: encoding) } else { append(text.bytes(in: charset), as: encoding) }
    }

    private mutating func append(_ bytes: some Sequence<UInt8>, as encoding: QueryEncoding) {
        for byte in bytes {
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
    /// Decodes the bytes. A `%` without two hexadecimal digits is literal.
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

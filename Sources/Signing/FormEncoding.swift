import HTTPMessages

extension Sequence<UInt8> {
    /// The bytes as in a query of a form, except that a space is `%20` (RFC 9421, section 2.2.8).
    var formEncoded: String { encoded { $0.isFormCharacter } }

    /// The bytes in percent-encoding, except for RFC 3986's unreserved characters and, if wanted, slashes.
    func awsEncoded(keepingSlashes: Bool = false) -> String {
        encoded { $0.isUnreserved || keepingSlashes && $0 == UInt8(ascii: "/") }
    }

    private func encoded(_ isKept: (UInt8) -> Bool) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(underestimatedCount)
        for byte in self {
            if isKept(byte) { bytes.append(byte) } else { bytes.append(percentEncoded: byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// The bytes without the encoding of forms: `+` is a space. Malformed escapes are kept.
    var formDecoded: [UInt8] { decoded(plusIsSpace: true) }

    /// The bytes without percent-encoding, in any charset. Malformed escapes are kept.
    var percentDecoded: [UInt8] { decoded(plusIsSpace: false) }

    private func decoded(plusIsSpace: Bool) -> [UInt8] {
        guard utf8.contains(where: { $0 == UInt8(ascii: "%") || plusIsSpace && $0 == UInt8(ascii: "+") }) else {
            return Array(utf8)
        }
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
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

extension UInt8 {
    private var isAlphanumeric: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    fileprivate var isUnreserved: Bool { isAlphanumeric || [0x2D, 0x2E, 0x5F, 0x7E].contains(self) }

    /// Letters, digits and `*-._`.
    fileprivate var isFormCharacter: Bool { isAlphanumeric || [0x2A, 0x2D, 0x2E, 0x5F].contains(self) }
}

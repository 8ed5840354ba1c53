import HTTPMessages

extension String {
    /// The text as in a query of a form, except that a space is `%20` (RFC 9421, section 2.2.8).
    var formEncoded: String { encoded { $0.isFormCharacter } }

    /// The text in percent-encoding, except for RFC 3986's unreserved characters and, if wanted, slashes.
    func awsEncoded(keepingSlashes: Bool = false) -> String {
        encoded { $0.isUnreserved || keepingSlashes && $0 == UInt8(ascii: "/") }
    }

    /// The text without the encoding of forms: `+` is a space. Malformed escapes are kept.
    var formDecoded: String { decoded(plusIsSpace: true) }

    /// The text without percent-encoding. Malformed escapes are kept.
    var percentDecoded: String { decoded(plusIsSpace: false) }

    private func encoded(_ isKept: (UInt8) -> Bool) -> String {
        guard !utf8.allSatisfy(isKept) else { return self }
        var bytes: [UInt8] = []
        for byte in utf8 {
            if isKept(byte) { bytes.append(byte) } else { bytes.append(percentEncoded: byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func decoded(plusIsSpace: Bool) -> String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "%") || plusIsSpace && $0 == UInt8(ascii: "+") }) else {
            return self
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
        return String(decoding: bytes, as: UTF8.self)
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

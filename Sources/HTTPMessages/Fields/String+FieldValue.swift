import Foundation

extension String {
    /// The quoted-string of RFC 9110, section 5.6.4.
    package var quotedString: String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
            return "\"\(self)\""
        }
        var bytes = [UInt8(ascii: "\"")]
        for byte in utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
    }

    /// The value itself if it is a token, otherwise as a quoted string.
    var tokenOrQuotedString: String { isHTTPToken ? self : quotedString }

    /// The extended value of RFC 8187, section 3.2.1, in UTF-8.
    package var extendedValue: String { "UTF-8''\(percentEncoded(except: .extendedValue))" }

    /// Decodes an extended value of RFC 8187, in UTF-8 or ISO 8859-1; nil if it is malformed or in another charset.
    init?(extendedValue text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[2]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = rest.escapedByte else { return nil }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        switch Substring(parts[0]).lowercased() {
        case "utf-8": self.init(bytes: bytes, encoding: .utf8)
        case "iso-8859-1": self.init(bytes: bytes, encoding: .isoLatin1)
        default: return nil
        }
    }
}

import HTTPMessages

extension String {
    /// The quoted-string of RFC 9110, section 5.6.4.
    var quoted: String {
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

    /// The extended value of RFC 8187, section 3.2.1, in UTF-8.
    var extendedValue: String { "UTF-8''\(percentEncoded(except: .extendedValue))" }
}

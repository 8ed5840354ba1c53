package import Foundation

extension String {
    /// The bytes of a form's text in a charset.
    ///
    /// A character that the charset lacks becomes a reference such as `&#8364;`, as browsers do (WHATWG URL, section
    /// 5.2).
    package func bytes(in encoding: String.Encoding) -> [UInt8] {
        if encoding == .utf8 { return Array(utf8) }
        if let data = data(using: encoding) { return Array(data) }
        return unicodeScalars.flatMap { scalar -> [UInt8] in
            if let data = String(scalar).data(using: encoding) { return Array(data) }
            return Array("&#\(scalar.value);".utf8)
        }
    }
}

extension String.Encoding {
    /// The encoding of a form that an app wants in this one: UTF-8 in place of UTF-16 and UTF-32, of which a server
    /// finds no delimiter (WHATWG Encoding, section 4.3).
    package var ofForms: String.Encoding {
        switch self {
        case .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian, .utf32LittleEndian: .utf8
        default: self
        }
    }

    /// The name in a `charset` parameter (IANA); nil for an encoding without one.
    package var charsetName: String? { Self.charsetNames[self] }

    private static let charsetNames: [String.Encoding: String] = [
        .utf8: "utf-8", .ascii: "us-ascii", .isoLatin1: "iso-8859-1", .isoLatin2: "iso-8859-2",
        .windowsCP1250: "windows-1250", .windowsCP1251: "windows-1251", .windowsCP1252: "windows-1252",
        .windowsCP1253: "windows-1253", .windowsCP1254: "windows-1254", .macOSRoman: "macintosh",
        .japaneseEUC: "euc-jp", .iso2022JP: "iso-2022-jp", .shiftJIS: "shift_jis", .utf16: "utf-16",
        .utf16BigEndian: "utf-16be", .utf16LittleEndian: "utf-16le",
    ]
}

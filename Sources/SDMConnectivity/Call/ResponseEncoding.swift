import Foundation
import HTTPMessages

extension String.Encoding {
    /// The encoding that a response declares in `Content-Type`, also in its middle; nil for an unknown one.
    ///
    /// The names are IANA's, as in CoreFoundation: `iso-8859-1` is Latin-1, not a browser's Windows-1252.
    init?(of head: HTTPResponseHead) {
        guard let label = head.mediaType?["charset"] else { return nil }
        self.init(charset: label)
    }

    /// The encoding of an IANA charset name in any case; nil for an unknown one.
    init?(charset name: String) {
        guard let encoding = Self.byCharset[name.lowercased()] else { return nil }
        self = encoding
    }

    private static let byCharset: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .ascii, "ascii": .ascii,
        "iso-8859-1": .isoLatin1, "latin1": .isoLatin1, "iso-8859-2": .isoLatin2, "latin2": .isoLatin2,
        "utf-16": .utf16, "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
        "utf-32": .utf32, "utf-32le": .utf32LittleEndian, "utf-32be": .utf32BigEndian,
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
        "shift_jis": .shiftJIS, "euc-jp": .japaneseEUC, "iso-2022-jp": .iso2022JP, "macintosh": .macOSRoman,
    ]
}

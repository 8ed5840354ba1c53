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

    /// The encoding of an IANA charset name in any case; nil for an unknown one, and for one that Foundation lacks.
    init?(charset name: String) {
        guard let encoding = Self.byCharset[name.lowercased()] else { return nil }
        self = encoding
    }

    private static let byCharset: [String: String.Encoding] = {
        var encodings = foundation
        for (number, names) in coreFoundation {
            // The raw value of an encoding of CoreFoundation, on every platform.
            let encoding = String.Encoding(rawValue: 0x8000_0000 | number)
            guard String(data: Data("A".utf8), encoding: encoding) == "A" else { continue }
            for name in names.split(separator: " ") where encodings[String(name)] == nil {
                encodings[String(name)] = encoding
            }
        }
        return encodings
    }()

    private static let foundation: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "csutf8": .utf8, "us-ascii": .ascii, "ascii": .ascii, "ansi_x3.4-1968": .ascii,
        "iso646-us": .ascii, "iso-8859-1": .isoLatin1, "iso_8859-1": .isoLatin1, "latin1": .isoLatin1,
        "l1": .isoLatin1, "ibm819": .isoLatin1, "cp819": .isoLatin1, "iso-8859-2": .isoLatin2,
        "iso_8859-2": .isoLatin2, "latin2": .isoLatin2, "l2": .isoLatin2,
        "utf-16": .utf16, "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
        "utf-32": .utf32, "utf-32le": .utf32LittleEndian, "utf-32be": .utf32BigEndian,
        "windows-1250": .windowsCP1250, "cp1250": .windowsCP1250, "windows-1251": .windowsCP1251,
        "cp1251": .windowsCP1251, "windows-1252": .windowsCP1252, "cp1252": .windowsCP1252,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
        "shift_jis": .shiftJIS, "ms_kanji": .shiftJIS, "euc-jp": .japaneseEUC, "iso-2022-jp": .iso2022JP,
        "macintosh": .macOSRoman, "mac": .macOSRoman,
    ]

    /// CoreFoundation's numbers (CFStringEncodingExt.h), with the names and the usual aliases in IANA's registry.
    private static let coreFoundation: [(UInt, String)] = [
        (0x0203, "iso-8859-3 iso_8859-3 latin3 l3"), (0x0204, "iso-8859-4 iso_8859-4 latin4 l4"),
        (0x0205, "iso-8859-5 iso_8859-5 cyrillic"), (0x0206, "iso-8859-6 iso_8859-6 arabic asmo-708 ecma-114"),
        (0x0207, "iso-8859-7 iso_8859-7 greek greek8 ecma-118 elot_928"),
        (0x0208, "iso-8859-8 iso_8859-8 hebrew iso-8859-8-i"), (0x0209, "iso-8859-9 iso_8859-9 latin5 l5"),
        (0x020A, "iso-8859-10 latin6 l6"), (0x020B, "iso-8859-11 tis-620"), (0x020D, "iso-8859-13"),
        (0x020E, "iso-8859-14 iso_8859-14 latin8 l8"), (0x020F, "iso-8859-15 iso_8859-15 latin-9 latin9"),
        (0x0210, "iso-8859-16 iso_8859-16 latin10 l10"),
        (0x0400, "ibm437 cp437 437"), (0x0406, "ibm775 cp775"), (0x0410, "ibm850 cp850 850"),
        (0x0412, "ibm852 cp852 852"), (0x0413, "ibm855 cp855 855"), (0x0414, "ibm857 cp857 857"),
        (0x0415, "ibm860 cp860 860"), (0x0416, "ibm861 cp861 861 cp-is"), (0x0417, "ibm862 cp862 862"),
        (0x0418, "ibm863 cp863 863"), (0x0419, "ibm864 cp864"), (0x041A, "ibm865 cp865 865"),
        (0x041B, "ibm866 cp866 866"), (0x041C, "ibm869 cp869 869 cp-gr"), (0x041D, "windows-874 ibm-thai"),
        (0x0420, "windows-31j cswindows31j"), (0x0505, "windows-1255"), (0x0506, "windows-1256"),
        (0x0507, "windows-1257"), (0x0508, "windows-1258"),
        (0x0632, "gb18030"), (0x0631, "gbk cp936 ms936 windows-936"), (0x0930, "gb2312 euc-cn"),
        (0x0940, "euc-kr ks_c_5601-1987 ksc_5601 korean"), (0x0931, "euc-tw"), (0x0840, "iso-2022-kr"),
        (0x0830, "iso-2022-cn"), (0x0821, "iso-2022-jp-2"), (0x0A02, "koi8-r"), (0x0A08, "koi8-u"),
        (0x0A03, "big5 csbig5"), (0x0A06, "big5-hkscs"), (0x0A05, "hz-gb-2312"), (0x0A07, "viscii"),
        (0x0C02, "ibm037 cp037 ebcdic-cp-us"), (0x0400_0100, "utf-7"),
    ]
}

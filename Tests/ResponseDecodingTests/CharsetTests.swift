import Testing

@testable import ResponseDecoding

@Suite struct CharsetTests {
    @Test(arguments: [
        ("utf-8", "UTF-8"), ("UTF8", "UTF-8"), (" utf-8\t", "UTF-8"), ("unicode-1-1-utf-8", "UTF-8"),
        ("us-ascii", "windows-1252"), ("ISO-8859-1", "windows-1252"), ("latin1", "windows-1252"),
        ("iso_8859-2:1987", "ISO-8859-2"), ("ISO-8859-9", "windows-1254"), ("iso-8859-11", "windows-874"),
        ("koi8-ru", "KOI8-U"), ("KOI", "KOI8-R"), ("cp866", "IBM866"), ("x-cp1251", "windows-1251"),
        ("logical", "ISO-8859-8"), ("utf-16", "UTF-16LE"), ("utf-16be", "UTF-16BE"), ("mac", "macintosh"),
    ])
    func `labels are resolved`(label: String, name: String) {
        #expect(Charset(label: label)?.name == name)
    }

    @Test(arguments: ["", " ", "utf-9", "utf 8", "\u{B}utf-8", "utf-8;", "shift_jis", "gbk", "ütf-8", "\u{212A}oi8-r"])
    func `unknown labels are nil`(label: String) {
        #expect(Charset(label: label) == nil)
    }

    @Test func `every charset is found by its name`() {
        for charset in SingleByteCharset.allCases {
            #expect(Charset(label: charset.rawValue) == Charset(charset))
        }
        for charset in [Charset.utf8, .utf16LE, .utf16BE, .windows1252] {
            #expect(Charset(label: charset.name) == charset)
            #expect("\(charset)" == charset.name)
        }
    }
}

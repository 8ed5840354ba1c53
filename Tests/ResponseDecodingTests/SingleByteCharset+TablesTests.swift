import Testing

@testable import ResponseDecoding

@Suite struct SingleByteCharsetTablesTests {
    /// Checksum of each table, computed from the standard's index files.
    @Test(arguments: [
        (SingleByteCharset.ibm866, 0x9EB49CB6 as UInt32), (.iso8859_2, 0xEC9276E5), (.iso8859_3, 0x7ADAFBD1),
        (.iso8859_4, 0xDB4E770C), (.iso8859_5, 0x55865484), (.iso8859_6, 0x4268288E), (.iso8859_7, 0x3CCB0A4C),
        (.iso8859_8, 0x46DDAF09), (.iso8859_10, 0x6F976329), (.iso8859_13, 0x221E6633), (.iso8859_14, 0x29099C37),
        (.iso8859_15, 0xDE2A643C), (.iso8859_16, 0x47D4E938), (.koi8R, 0xA157C75C), (.koi8U, 0x4FD5EAD0),
        (.macintosh, 0x0D4FD0C1), (.windows874, 0xBB8664C2), (.windows1250, 0x3ED6B5B6), (.windows1251, 0x681922BC),
        (.windows1252, 0xE7AA304A), (.windows1253, 0xBC5A80F2), (.windows1254, 0x59039E22),
        (.windows1255, 0x17AEFA7E), (.windows1256, 0x1531E525), (.windows1257, 0xBBE13B27),
        (.windows1258, 0x6FC3DA2D), (.macCyrillic, 0xBCCD5297),
    ])
    func `tables match the standard`(charset: SingleByteCharset, checksum: UInt32) {
        let sum = charset.table.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
        #expect(sum == checksum)
    }

    @Test(
        arguments: [
            (.koi8U, 0xAE, 0x45E), (.koi8U, 0xBE, 0x40E), (.windows1255, 0xCA, 0x5BA), (.windows1252, 0x80, 0x20AC),
            (.iso8859_15, 0xA4, 0x20AC), (.macCyrillic, 0xFF, 0x20AC), (.ibm866, 0x80, 0x410),
            (.windows1251, 0x98, 0x98),
            (.iso8859_6, 0xC7, 0x627), (.macintosh, 0xF0, 0xF8FF),
        ] as [(SingleByteCharset, Int, UInt16)])
    func `bytes that commonly differ between implementations`(charset: SingleByteCharset, byte: Int, unit: UInt16) {
        #expect(charset.table[byte - 0x80] == unit)
    }
}

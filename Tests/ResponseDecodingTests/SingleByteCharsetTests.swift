import Testing

@testable import ResponseDecoding

@Suite struct SingleByteCharsetTests {
    @Test(arguments: SingleByteCharset.allCases)
    func `a table has 128 entries`(charset: SingleByteCharset) {
        #expect(charset.table.count == 128)
        let defined = charset.table.filter { $0 != SingleByteCharset.undefined }
        #expect(Set(defined).count == defined.count)
        #expect(defined.allSatisfy { $0 >= 0x80 })
    }

    @Test(arguments: SingleByteCharset.allCases.filter { $0.rawValue.hasPrefix("ISO") })
    func `the ISO charsets have control characters up to 0x9F`(charset: SingleByteCharset) {
        #expect(Array(charset.table.prefix(32)) == Array(0x80...0x9F))
        #expect(charset.table[32] == 0xA0)
    }

    @Test(arguments: SingleByteCharset.allCases.filter { $0.rawValue.hasPrefix("windows") })
    func `the Windows charsets follow the standard up to 0x9F`(charset: SingleByteCharset) {
        #expect(!charset.table.prefix(32).contains(SingleByteCharset.undefined))
    }
}

import Testing

@testable import LocalStore

@Suite struct CRC32Tests {
    @Test(arguments: [
        ("", 0 as UInt32), ("123456789", 0xCBF4_3926), ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
    ])
    func `checksums match published ones`(text: String, checksum: UInt32) {
        #expect(Array(text.utf8).withUnsafeBytes { CRC32.checksum($0) } == checksum)
    }
}

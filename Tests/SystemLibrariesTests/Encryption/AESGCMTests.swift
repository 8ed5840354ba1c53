import Testing

@testable import SystemLibraries

@Suite struct AESGCMTests {
    /// Test cases 13, 14 and 16 of McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B.
    static let published: [(key: String, nonce: String, text: String, header: String, sealed: String)] = [
        (
            String(repeating: "00", count: 32), String(repeating: "00", count: 12), "", "",
            "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        (
            String(repeating: "00", count: 32), String(repeating: "00", count: 12), String(repeating: "00", count: 16),
            "",
            "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
        ),
        (
            "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                + "76fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ]

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }

    @Test(arguments: published.indices) func `published cases are encrypted and decrypted`(index: Int) throws {
        let example = Self.published[index]
        let (key, nonce) = (bytes(example.key), bytes(example.nonce))
        let (text, header, sealed) = (bytes(example.text), bytes(example.header), bytes(example.sealed))
        #expect(try AESGCM.seal(text, key: key, nonce: nonce, authenticating: header) == sealed)
        #expect(try AESGCM.open(sealed, key: key, nonce: nonce, authenticating: header) == text)
    }

    @Test func `a changed byte, another key, another nonce and another header open nothing`() throws {
        let (key, nonce, header) = (AESGCM.randomBytes(32), AESGCM.randomBytes(12), Array("header".utf8))
        let text = Array("some cookies".utf8)
        let sealed = try AESGCM.seal(text, key: key, nonce: nonce, authenticating: header)
        #expect(sealed.count == text.count + AESGCM.tagSize && !sealed.starts(with: text))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(try AESGCM.open(changed, key: key, nonce: nonce, authenticating: header) == nil)
        }
        for count in [0, 1, 15, 16, sealed.count - 1] {
            let short = Array(sealed.prefix(count))
            #expect(try AESGCM.open(short, key: key, nonce: nonce, authenticating: header) == nil)
        }
        let (otherKey, otherNonce) = (AESGCM.randomBytes(32), AESGCM.randomBytes(12))
        #expect(try AESGCM.open(sealed, key: otherKey, nonce: nonce, authenticating: header) == nil)
        #expect(try AESGCM.open(sealed, key: key, nonce: otherNonce, authenticating: header) == nil)
        #expect(try AESGCM.open(sealed, key: key, nonce: nonce, authenticating: header + [0]) == nil)
        let error = #expect(throws: SystemLibraryError.self) {
            try AESGCM.seal(text, key: Array(key.dropLast()), nonce: nonce, authenticating: header)
        }
        #expect(error?.code == .failed)
    }
}

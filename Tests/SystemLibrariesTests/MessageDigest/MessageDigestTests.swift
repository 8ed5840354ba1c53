import Foundation
import Testing

@testable import SystemLibraries

@Suite struct MessageDigestTests {
    private static let short = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    private static let long =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
        + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
    private static let digits = String(repeating: "1234567890", count: 8)

    private func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    // RFC 1321, appendix A.5, and the examples of FIPS 180-4.
    static let vectors: [(MessageDigest.Algorithm, String, String)] = [
        (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
        (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
        (.md5, digits, "57edf4a22be3c955ac49da2e2107b67a"),
        (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.sha256, short, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        (
            .sha512, "",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
        (
            .sha512, "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (
            .sha512, long,
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        ),
        (.sha512t256, "", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        (.sha512t256, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        (.sha512t256, long, "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"),
    ]

    @Test(arguments: vectors)
    func `the published vectors hold for the system and for the own code`(
        algorithm: MessageDigest.Algorithm, text: String, expected: String
    ) throws {
        #expect(hex(try MessageDigest.digest(of: Array(text.utf8), algorithm)) == expected)
        let portable = MessageDigest(portable: algorithm)
        portable.update(Array(text.utf8))
        #expect(hex(try portable.finish()) == expected)
    }

    @Test(arguments: [
        (MessageDigest.Algorithm.md5, "7707d6ae4e027c70eea2a935c2296f21"),
        (.sha256, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        (
            .sha512,
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
        ),
        (.sha512t256, "9a59a052930187a97038cae692f30708aa6491923ef5194394dc68d56c74fb21"),
    ])
    func `a million letters in pieces of any size`(algorithm: MessageDigest.Algorithm, expected: String) throws {
        for digest in [MessageDigest(algorithm), MessageDigest(portable: algorithm)] {
            var rest = 1_000_000
            var size = 1
            while rest > 0 {
                digest.update([UInt8](repeating: UInt8(ascii: "a"), count: min(size, rest)))
                rest -= min(size, rest)
                size = (size * 7 + 3) % 1021 + 1
            }
            #expect(hex(try digest.finish()) == expected)
        }
    }

    @Test(arguments: MessageDigest.Algorithm.allCases)
    func `the own code equals the system's at every length around a block`(
        algorithm: MessageDigest.Algorithm
    ) throws {
        for count in 0...300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let portable = MessageDigest(portable: algorithm)
            portable.update(bytes)
            let digest = try portable.finish()
            #expect(digest == (try MessageDigest.digest(of: bytes, algorithm)), "\(count) bytes")
            #expect(digest.count == algorithm.byteCount)
        }
    }

    @Test func `the system computes SHA-256`() {
        #expect(MessageDigest(.sha256).usesSystem && !MessageDigest(portable: .sha256).usesSystem)
    }

    // RFC 4231, test cases 1, 2 and 6.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `the published codes of HMAC hold`(key: [UInt8], text: String, expected: String) {
        #expect(hex(HMACSHA256(key: key).code(of: Array(text.utf8))) == expected)
    }
}

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
}

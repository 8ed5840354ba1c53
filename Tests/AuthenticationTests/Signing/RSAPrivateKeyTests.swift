import Authentication
import Foundation
import HTTPMessages
import SystemLibraries
import Testing

@Suite struct RSAPrivateKeyTests {
    @Test(arguments: [TestKeys.pkcs8, TestKeys.pkcs1, "text before\n" + TestKeys.pkcs8 + "\n"])
    func `a signature is that of OpenSSL`(pem: String) throws {
        let key = try RSAPrivateKey(pem: pem)
        #expect(try key.signature(of: Data("signed text".utf8)).base64EncodedString() == TestKeys.signature)
        #expect(key.publicKey.modulus.count == 256 && key.publicKey.exponent == Data([1, 0, 1]))
        #expect(key.publicKey.jwk["kty"] == "RSA" && key.publicKey.jwk["e"] == "AQAB")
        let copy = try RSAPrivateKey(der: key.der)
        #expect(copy.publicKey == key.publicKey && copy.der == key.der)
    }

    @Test func `generated keys differ and sign`() throws {
        let keys = try (0..<2).map { _ in try RSAPrivateKey.generate() }
        #expect(keys[0].publicKey != keys[1].publicKey)
        let data = Data("text".utf8)
        #expect(try keys[0].signature(of: data) == RSAPrivateKey(der: keys[0].der).signature(of: data))
        #expect(try keys[0].signature(of: data) != keys[1].signature(of: data))
    }

    @Test(arguments: [
        "", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n@@\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", TestKeys.short, TestKeys.ellipticCurve,
    ])
    func `another text is an error that does not quote it`(pem: String) {
        let error = #expect(throws: AuthenticationError.self) { try RSAPrivateKey(pem: pem) }
        #expect(error?.code == .invalidKey && error?.message.contains("MII") == false)
    }

    @Test func `a key of 2047 bits, and one only for PSS, are refused`() throws {
        for contents in try [PrivateKey.generate(.rsa, bits: 2047), PrivateKey.generate(.rsaPSS)] {
            let error = #expect(throws: AuthenticationError.self) { try RSAPrivateKey(der: contents.der) }
            #expect(error?.code == .invalidKey)
        }
    }

    @Test func `a truncated or changed key never traps`() throws {
        let der = try RSAPrivateKey(pem: TestKeys.pkcs8).der
        for length in stride(from: 0, to: der.count, by: 7) {
            #expect(throws: (any Error).self) { try RSAPrivateKey(der: der.prefix(length)) }
        }
        var pkcs8 = try #require(
            Data(base64Encoded: TestKeys.pkcs8.split(separator: "\n").dropFirst().dropLast().joined()))
        for index in 0..<40 {
            pkcs8[index] ^= 0xFF
            _ = try? RSAPrivateKey(der: pkcs8)
            pkcs8[index] ^= 0xFF
        }
    }

    @Test func `the description has no number of the key`() throws {
        let key = try RSAPrivateKey(pem: TestKeys.pkcs8)
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "RSA private key, 2048 bits" && dumped.utf8.count < 200)
    }

    @Test(arguments: [0, 1024, 10_000]) func `a size that is not sensible is refused`(bits: Int) {
        let error = #expect(throws: AuthenticationError.self) { try RSAPrivateKey.generate(bits: bits) }
        #expect(error?.code == .invalidKey)
    }
}

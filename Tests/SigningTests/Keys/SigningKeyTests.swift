import Foundation
import HTTPMessages
import Testing

@testable import Signing
@testable import SystemLibraries

@Suite struct SigningKeyTests {
    @Test(arguments: SignatureAlgorithm.allCases)
    func `a generated key signs, and its verification key verifies`(algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey.generate(algorithm, id: "a")
        let data = Data("text".utf8)
        let signature = try key.signature(of: data)
        let sizes: [SignatureAlgorithm: Int] = [
            .hmacSHA256: 32, .rsaPSSSHA512: 384, .rsaPKCS1SHA256: 384, .ecdsaP384SHA384: 96,
        ]
        #expect(signature.count == sizes[algorithm] ?? 64)
        #expect(try key.verificationKey.isValid(signature, of: data))
        #expect(try !key.verificationKey.isValid(signature, of: data + [0]))
        #expect(key.algorithm == algorithm && key.id == "a" && key.verificationKey.id == "a")
        let again =
            algorithm == .hmacSHA256
            ? try SigningKey(algorithm, rawRepresentation: key.secretRepresentation)
            : try SigningKey(der: key.secretRepresentation, algorithm: algorithm)
        #expect(try key.verificationKey.isValid(again.signature(of: data), of: data))
        if let der = key.verificationKey.der {
            #expect(try VerificationKey(der: der, algorithm: algorithm).isValid(signature, of: data))
        }
    }

    @Test func `the published private keys belong to the published public keys`() throws {
        #expect(
            try ExampleKeys.p256().verificationKey.der == VerificationKey(pem: ExampleKeys.p256PublicPEM).der)
        #expect(
            try ExampleKeys.ed25519().verificationKey.der == VerificationKey(pem: ExampleKeys.ed25519PublicPEM).der)
        #expect(try ExampleKeys.p256().algorithm == .ecdsaP256SHA256)
        #expect(try ExampleKeys.rsaPublic().algorithm == .rsaPSSSHA512)
    }

    @Test func `OpenSSL's key and signature of P-384 are the same here`() throws {
        let (key, older) = try (ExampleKeys.p384(), SigningKey(pem: ExampleKeys.p384SEC1PEM))
        let verifier = try VerificationKey(pem: ExampleKeys.p384PublicPEM)
        #expect(key.algorithm == .ecdsaP384SHA384 && older.algorithm == .ecdsaP384SHA384)
        #expect(key.verificationKey.der == verifier.der && older.verificationKey.der == verifier.der)
        // openssl dgst -sha384 -sign, with r and s of 48 bytes.
        let published = try #require(
            Data(
                base64Encoded: "PTNNs1qI4j7YgdmHY5ASmnhqbbwdZxyhwNkCwAbfzlPx/KQw3qbLZGBZwHvPCR29"
                    + "lYeCQWy8/KNg0hyzmWbXYw7RZaA42mghaLfX1X9NAb+kd+2I8ifphvQwFpAb34HJ"))
        #expect(try verifier.isValid(published, of: Data("text".utf8)))
        #expect(try !verifier.isValid(published, of: Data("texts".utf8)))
        #expect(try verifier.isValid(older.signature(of: Data()), of: Data()))
    }

    @Test func `raw bytes make the same key as its encodings`() throws {
        let seed = try #require(PrivateKeyContents(der: ExampleKeys.ed25519().secretRepresentation)).bytes
        let key = try SigningKey(.ed25519, rawRepresentation: seed)
        #expect(try key.verificationKey.jwk == ExampleKeys.ed25519().verificationKey.jwk)
        for key in try [ExampleKeys.p256(), ExampleKeys.p384()] {
            let scalar = try #require(PrivateKeyContents(der: key.secretRepresentation)).bytes
            let point = try #require(PublicKeyContents(der: key.verificationKey.der ?? Data())).bytes
            let other = try SigningKey(key.algorithm, rawRepresentation: scalar)
            for bytes in [point, point.dropFirst()] {
                let verifier = try VerificationKey(key.algorithm, rawRepresentation: bytes)
                #expect(try verifier.isValid(other.signature(of: Data()), of: Data()))
            }
        }
    }

    @Test func `a private key only for PSS is an RSA key without other signatures`() throws {
        let der = [UInt8](try SigningKey.generate(.rsaPSSSHA512).secretRepresentation)
        // The same key with the identifier id-RSASSA-PSS without parameters, as RFC 9421 has it.
        let start = try #require(der.indices.first { der[$0...].starts(with: [0x30, 0x0D, 0x06, 0x09]) })
        let rest = [0x30, 0x0B, 0x06, 0x09] + AlgorithmIdentifiers.rsaPSS + der[(start + 15)...]
        let renamed = DERWriter.sequence(DERWriter.integer([0]) + rest)
        let (first, second) = try (SigningKey(der: Data(der)), SigningKey(der: Data(renamed)))
        #expect(first.verificationKey.jwk == second.verificationKey.jwk)
        let data = Data("text".utf8)
        #expect(try first.verificationKey.isValid(second.signature(of: data), of: data))
        #expect(try second.verificationKey.isValid(first.signature(of: data), of: data))
        // RFC 4055, section 1.2, also after the key was stored.
        let publicDER = try #require(second.verificationKey.der)
        for make in [
            { _ = try SigningKey(der: Data(renamed), algorithm: .rsaPKCS1SHA256) },
            { _ = try SigningKey(der: second.secretRepresentation, algorithm: .rsaPKCS1SHA256) },
            { _ = try VerificationKey(der: publicDER, algorithm: .rsaPKCS1SHA256) },
        ] as [() throws -> Void] {
            let error = #expect(throws: SigningError.self) { try make() }
            #expect(error?.code == .invalidKey)
        }
    }

    /// A public RSA key of 2048 bits, with one number in place of its own.
    private func publicKey(modulus: Data? = nil, exponent: Data = Data([3])) throws -> Data {
        let own = try #require(
            ExampleKeys.rsaPublic().der.flatMap { PublicKeyContents(der: $0) }.flatMap {
                RSAPublicKeyEncoding.numbers(ofPublic: $0.bytes)
            })
        return RSAPublicKeyEncoding.pkcs1(modulus: modulus ?? own.modulus, exponent: exponent)
    }

    @Test func `an RSA key has 2048 bits, and an odd exponent from 3`() throws {
        #expect(try VerificationKey(der: publicKey()).algorithm == .rsaPSSSHA512)
        #expect(try VerificationKey(der: publicKey(modulus: Data([0x80] + Data(repeating: 1, count: 255)))).der != nil)
        let short = [Data([0x7F] + Data(repeating: 0xFF, count: 255)), Data([1] + Data(repeating: 1, count: 255))]
        for (modulus, bits) in zip(short, [2047, 2041]) {
            let error = #expect(throws: SigningError.self) { try VerificationKey(der: publicKey(modulus: modulus)) }
            #expect(error?.code == .invalidKey && error?.message.contains("\(bits) bits") == true)
        }
        let generated = try PrivateKey.generate(.rsa, bits: 2047).der
        #expect(throws: SigningError.self) { try SigningKey(der: generated) }
        for exponent in [Data(), Data([1]), Data([2]), Data([1, 0, 0])] {
            #expect(throws: SigningError.self) { try VerificationKey(der: publicKey(exponent: exponent)) }
        }
        #expect(throws: SigningError.self) { try VerificationKey(der: publicKey(modulus: Data(count: 256))) }
        // Negative numbers, as the zero is missing before the first bit.
        let (modulus, exponent) = ([0x80] + [UInt8](repeating: 1, count: 255), [UInt8]([3]))
        for numbers in [(modulus, exponent), ([0] + modulus, [0x83])] {
            let der = DERWriter.sequence(
                DERWriter.element(.integer, numbers.0) + DERWriter.element(.integer, numbers.1))
            let error = #expect(throws: SigningError.self) { try VerificationKey(der: Data(der)) }
            #expect(error?.code == .invalidKey)
        }
    }

    @Test func `the public key as JWK, and its thumbprint`() throws {
        let edwards = try ExampleKeys.ed25519().verificationKey
        #expect(edwards.jwk == ["kty": "OKP", "crv": "Ed25519", "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"])
        let elliptic = try ExampleKeys.p256().verificationKey
        #expect(
            elliptic.jwk == [
                "kty": "EC", "crv": "P-256", "x": "qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA",
                "y": "Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0",
            ])
        #expect(
            try ExampleKeys.p384().verificationKey.jwk == [
                "kty": "EC", "crv": "P-384", "x": "YGbshCPFaPGB2gTcNVVjHzaS1uJjc5puUsVxGdluzFmO5P-OdTI2oTqML5X7urzp",
                "y": "ncV4h59jU-FGQ_w8NN8w-6_QLhGlrLB3OIXS_PbKje-Z9RUE56OZljkwAdmkTyQk",
            ])
        // RFC 8037, appendix A.3, and RFC 9449, section 6.1.
        let example = try VerificationKey(
            .ed25519,
            rawRepresentation: #require(Data(base64URLEncoded: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")))
        #expect(example.jwkThumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
        #expect(try ExampleKeys.rsaPublic().jwk?["kty"] == "RSA" && ExampleKeys.rsaPublic().jwk?["e"] == "AQAB")
        #expect(try ExampleKeys.shared().verificationKey.jwk == nil)
        #expect(try ExampleKeys.shared().verificationKey.jwkThumbprint == nil)
    }

    static let refused: [(name: String, make: @Sendable () throws -> Void)] = [
        ("no PEM", { _ = try SigningKey(pem: "text") }),
        ("an encrypted PEM", { _ = try SigningKey(pem: "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n") }),
        ("no DER", { _ = try SigningKey(der: Data([0x30, 0])) }),
        ("a public key as a private one", { _ = try SigningKey(pem: ExampleKeys.p256PublicPEM) }),
        ("no public PEM", { _ = try VerificationKey(pem: ExampleKeys.p256PEM) }),
        ("no public DER", { _ = try VerificationKey(der: Data()) }),
        ("a short seed", { _ = try SigningKey(.ed25519, rawRepresentation: Data(count: 31)) }),
        ("a short point", { _ = try VerificationKey(.ecdsaP256SHA256, rawRepresentation: Data(count: 33)) }),
        ("a raw RSA key", { _ = try SigningKey(.rsaPSSSHA512, rawRepresentation: Data(count: 256)) }),
        ("a raw public RSA key", { _ = try VerificationKey(.rsaPSSSHA512, rawRepresentation: Data(count: 256)) }),
        (
            "a number of P-256 that is zero",
            { _ = try SigningKey(.ecdsaP256SHA256, rawRepresentation: Data(count: 32)) }
        ),
        (
            "a scalar of the other curve",
            { _ = try SigningKey(.ecdsaP384SHA384, rawRepresentation: Data(repeating: 1, count: 32)) }
        ),
        (
            "a point of the other curve",
            { _ = try VerificationKey(pem: ExampleKeys.p256PublicPEM, algorithm: .ecdsaP384SHA384) }
        ),
        ("a key of the other curve", { _ = try SigningKey(pem: ExampleKeys.p384PEM, algorithm: .ecdsaP256SHA256) }),
        ("a short secret", { _ = try SigningKey(.hmacSHA256, rawRepresentation: Data(count: 15)) }),
        ("another algorithm", { _ = try SigningKey(pem: ExampleKeys.p256PEM, algorithm: .ed25519) }),
        ("a secret for a pair", { _ = try SigningKey(pem: ExampleKeys.p256PEM, algorithm: .hmacSHA256) }),
        (
            "a short RSA key",
            { _ = try SigningKey(der: PrivateKey.generate(.rsa, bits: 1024).der) }
        ),
    ]

    @Test(arguments: refused.indices) func `what is no key is refused`(index: Int) {
        let (name, make) = Self.refused[index]
        let error = #expect(throws: SigningError.self, "\(name)") { try make() }
        #expect(error?.code == .invalidKey, "\(name)")
    }

    @Test func `no description shows a secret`() throws {
        let secret = "s3cret-s3cret-s3cret"
        let key = try SigningKey(.hmacSHA256, rawRepresentation: Data(secret.utf8), id: "name")
        var text = ""
        dump(key, to: &text)
        dump(key.verificationKey, to: &text)
        text += "\(key) \(String(reflecting: key)) \(key.verificationKey)"
        #expect(!text.contains("s3cret") && !text.contains("115") && text.contains("name"))
    }
}

import Foundation
import Testing

@testable import SystemLibraries

@Suite struct SignatureTests {
    @Test(arguments: SignatureScheme.allCases)
    func `a signature verifies with its key and data only`(scheme: SignatureScheme) throws {
        let contents = try PrivateKey.generate(scheme.kind)
        let (key, other) = try (PrivateKey(contents), PrivateKey(PrivateKey.generate(scheme.kind)))
        let verifier = try PublicKey(key.publicContents())
        let bytes = Array("signed text".utf8)
        let signature = try key.signature(of: bytes, scheme)
        #expect(signature.count == (scheme.kind == .rsa ? 256 : scheme.kind.curve.map { 2 * $0.size } ?? 64))
        #expect(try verifier.isValid(signature, of: bytes, scheme))
        #expect(try !verifier.isValid(signature, of: bytes + [0], scheme))
        #expect(try !verifier.isValid(signature, of: [], scheme))
        for index in [0, signature.count / 2, signature.count - 1] {
            var changed = signature
            changed[index] ^= 1
            #expect(try !verifier.isValid(changed, of: bytes, scheme))
        }
        #expect(try !verifier.isValid([], of: bytes, scheme) && !verifier.isValid(signature + [0], of: bytes, scheme))
        #expect(try !verifier.isValid(Array(signature.dropLast()), of: bytes, scheme))
        #expect(try !PublicKey(other.publicContents()).isValid(signature, of: bytes, scheme))
        #expect(try verifier.isValid(key.signature(of: [], scheme), of: [], scheme))
    }

    @Test(arguments: KeyKind.allCases) func `a key is the same after its encoding`(kind: KeyKind) throws {
        let contents = try PrivateKey.generate(kind)
        #expect(PrivateKeyContents(der: contents.der) == contents)
        #expect(PrivateKeyContents(der: contents.der.dropLast()) == nil)
        let key = try PrivateKey(contents)
        let publicContents = try key.publicContents()
        #expect(PublicKeyContents(der: publicContents.der) == publicContents)
        #expect(publicContents.kind == kind && key.kind == kind)
    }

    @Test func `a key has no signatures of another kind`() throws {
        let key = try PrivateKey(PrivateKey.generate(.ed25519))
        let error = #expect(throws: SystemLibraryError.self) { try key.signature(of: [1], .ecdsaP256) }
        #expect(error?.code == .failed)
    }

    @Test(arguments: EllipticCurve.allCases)
    func `a number that is zero or not below the order, and a point off the curve are no keys`(
        curve: EllipticCurve
    ) throws {
        let last = Data(curve.order.dropLast() + [curve.order[curve.size - 1] - 1])
        for bytes in [Data(repeating: 0, count: curve.size), Data(curve.order), last.dropLast(), last + [0]] {
            #expect(PrivateKeyContents(curve.kind, bytes) == nil)
        }
        // The order is the right one: the key before it has the generator's x coordinate.
        let keys = try [last, Data(repeating: 0, count: curve.size - 1) + [1]].map { bytes in
            try PrivateKey(#require(PrivateKeyContents(curve.kind, bytes))).publicContents().bytes
        }
        #expect(keys[0].prefix(1 + curve.size) == keys[1].prefix(1 + curve.size) && keys[0] != keys[1])
        let point = try #require(PublicKeyContents(curve.kind, [4] + Data(repeating: 1, count: 2 * curve.size)))
        let error = #expect(throws: SystemLibraryError.self) { try PublicKey(point) }
        #expect(error?.code == .invalidData)
    }

    @Test(arguments: [Data(), Data([0x30, 0x00]), Data(repeating: 0x30, count: 500), Data([0x30, 0x83, 1])])
    func `other data is no key`(data: Data) {
        #expect(PrivateKeyContents(der: data) == nil && PublicKeyContents(der: data) == nil)
        for curve in EllipticCurve.allCases { #expect(ECDSASignature.raw(der: Array(data), on: curve) == nil) }
    }

    @Test func `signatures of a curve have leading zeros in one form only`() throws {
        let (r, s) = ([UInt8](repeating: 0, count: 31) + [0x80], [UInt8](repeating: 0xFF, count: 32))
        let der = try #require(ECDSASignature.der(raw: r + s, on: .p256))
        #expect(der.starts(with: [0x30, 0x27, 0x02, 0x02, 0x00, 0x80, 0x02, 0x21, 0x00, 0xFF]))
        #expect(ECDSASignature.raw(der: der, on: .p256) == r + s)
        let zeros = [UInt8](repeating: 0, count: 16)
        #expect(ECDSASignature.raw(der: der, on: .p384) == zeros + r + zeros + s)
        let long = try #require(ECDSASignature.der(raw: s + s + s, on: .p384))
        #expect(ECDSASignature.raw(der: long, on: .p256) == nil)
        #expect(ECDSASignature.der(raw: r, on: .p256) == nil && ECDSASignature.der(raw: r + s, on: .p384) == nil)
    }

    @Test(arguments: [
        (Data([0x03]), Data([0x11]), [0x30, 0x06, 0x02, 0x01, 0x03, 0x02, 0x01, 0x11] as [UInt8]),
        (Data([0x80]), Data([0x00, 0x03]), [0x30, 0x07, 0x02, 0x02, 0x00, 0x80, 0x02, 0x01, 0x03]),
        (Data(), Data([0x03]), [0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x03]),
    ])
    func `a public RSA key is two positive integers`(modulus: Data, exponent: Data, der: [UInt8]) {
        #expect(RSAPublicKeyEncoding.pkcs1(modulus: modulus, exponent: exponent) == Data(der))
        let long = RSAPublicKeyEncoding.pkcs1(modulus: Data(repeating: 0x80, count: 256), exponent: exponent)
        #expect(long.starts(with: [0x30, 0x82, 0x01, 0x08, 0x02, 0x82, 0x01, 0x01, 0x00, 0x80]))
    }

    #if !canImport(Security)
        @Test func `a missing library is a typed error`() {
            let error = #expect(throws: SystemLibraryError.self) {
                try CryptoFunctions.load(from: ["libnone.so.1", "libnone.so"])
            }
            #expect(error?.code == .missingLibrary && error?.library == "libnone.so")
        }
    #endif
}

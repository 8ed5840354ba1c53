import Foundation
import Testing

@testable import SystemLibraries

@Suite struct RSAKeyTests {
    @Test func `a generated key can be read and signs`() throws {
        let key = try RSAKey(pkcs1: RSAKey.generate(bits: 2048))
        let signature = try key.signature(of: Data("text".utf8))
        #expect(try signature.count == 256 && signature == key.signature(of: Data("text".utf8)))
        #expect(try signature != key.signature(of: Data()))
    }

    /// The modulus and the exponent of a private key in PKCS #1, or in PKCS #8, where OpenSSL 1.1 and 3 have them.
    private func publicNumbers(_ der: Data, bytes: Int) throws -> (modulus: Data, exponent: Data) {
        // The modulus is the first INTEGER of its length: 02 82 length 00, and the exponent 65537 follows it.
        let length = bytes + 1
        let prefix = Data([0x02, 0x82, UInt8(length >> 8), UInt8(length & 0xFF), 0x00])
        let start = try #require(der.range(of: prefix)).upperBound
        return (der[start..<(start + bytes)], Data([1, 0, 1]))
    }

    @Test(arguments: [2048, 3072]) func `a signature verifies with its key and data only`(bits: Int) throws {
        let der = try RSAKey.generate(bits: bits)
        let numbers = try publicNumbers(der, bytes: bits / 8)
        let key = try RSAVerificationKey(modulus: numbers.modulus, exponent: numbers.exponent)
        let data = Data("signed text".utf8)
        // PKCS #8 on Linux is read by the same function.
        let signature = try RSAKey(pkcs1: der).signature(of: data)
        #expect(try key.isValid(signature, of: data))
        #expect(try !key.isValid(signature, of: data + [0]) && !key.isValid(signature, of: Data()))
        for index in [0, signature.count / 2, signature.count - 1] {
            var changed = signature
            changed[index] ^= 1
            #expect(try !key.isValid(changed, of: data))
        }
        #expect(try !key.isValid(Data(), of: data) && !key.isValid(signature + [0], of: data))
        #expect(try !key.isValid(signature.dropLast(), of: data))
        let other = try publicNumbers(RSAKey.generate(bits: bits), bytes: bits / 8)
        #expect(try !RSAVerificationKey(modulus: other.modulus, exponent: other.exponent).isValid(signature, of: data))
        // Leading zeros do not change a number.
        #expect(
            try RSAVerificationKey(modulus: [0, 0] + numbers.modulus, exponent: [0] + numbers.exponent)
                .isValid(signature, of: data))
    }

    @Test(arguments: [
        (Data([0x03]), Data([0x11]), [0x30, 0x06, 0x02, 0x01, 0x03, 0x02, 0x01, 0x11] as [UInt8]),
        (Data([0x80]), Data([0x00, 0x03]), [0x30, 0x07, 0x02, 0x02, 0x00, 0x80, 0x02, 0x01, 0x03]),
        (Data(), Data([0x03]), [0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x03]),
    ])
    func `a public key is two positive integers`(modulus: Data, exponent: Data, der: [UInt8]) {
        #expect(RSAPublicKeyEncoding.pkcs1(modulus: modulus, exponent: exponent) == Data(der))
        let long = RSAPublicKeyEncoding.pkcs1(modulus: Data(repeating: 0x80, count: 256), exponent: exponent)
        #expect(long.starts(with: [0x30, 0x82, 0x01, 0x08, 0x02, 0x82, 0x01, 0x01, 0x00, 0x80]))
    }

    @Test(arguments: [Data(), Data([0x30, 0x00]), Data(repeating: 0x30, count: 500)])
    func `other data is no key`(data: Data) {
        let error = #expect(throws: SystemLibraryError.self) { try RSAKey(pkcs1: data) }
        #expect(error?.code == .invalidData)
    }

    #if !canImport(Security)
        @Test func `a missing library is a typed error`() {
            let error = #expect(throws: SystemLibraryError.self) {
                try CryptoFunctions.load(from: ["libnone.so.1", "libnone.so"])
            }
            #expect(error?.code == .missingLibrary && error?.library == "libnone.so")
        }

        @Test func `a platform without a keychain says so at the call`() {
            let item = KeychainItem(service: "s", account: "a")
            for call in [{ _ = try item.read() }, { try item.write(Data()) }] {
                let error = #expect(throws: SystemLibraryError.self) { try call() }
                #expect(error?.code == .missingLibrary)
            }
        }
    #endif
}

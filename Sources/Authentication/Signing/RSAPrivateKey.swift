public import Foundation
public import HTTPMessages
public import PatchbayErrors
import SystemLibraries

/// An RSA private key in memory, of at least 2048 bits, on the platform's cryptography.
///
/// Apple platforms use Security; others load OpenSSL's libcrypto when the first key is made.
public struct RSAPrivateKey: RS256Signer {
    private let key: PrivateKey
    /// The public key.
    public let publicKey: RSAPublicKey
    /// The private key in PKCS #1 DER: a secret, for a keychain or a file that only the owner can read.
    public let der: Data

    /// Reads a key in PEM: `PRIVATE KEY` (PKCS #8) or `RSA PRIVATE KEY` (PKCS #1), not encrypted.
    /// - Throws: ``AuthenticationError`` (`invalidKey`); `SystemLibraryError` (`missingLibrary`, `missingFunction`).
    public init(pem: String) throws {
        guard let der = PEMText(pem, labels: ["PRIVATE KEY", "RSA PRIVATE KEY"])?.data else {
            throw AuthenticationError(
                .invalidKey,
                "Invalid private key: no PEM block PRIVATE KEY or RSA PRIVATE KEY; decrypt an encrypted key first.")
        }
        try self.init(der: der)
    }

    /// Reads a key in DER: PKCS #8 or PKCS #1, not encrypted.
    /// - Throws: ``AuthenticationError`` (`invalidKey`); `SystemLibraryError` (`missingLibrary`, `missingFunction`).
    public init(der: Data) throws {
        guard let contents = PrivateKeyContents(der: der), contents.kind == .rsa,
            let numbers = RSAPublicKeyEncoding.numbers(ofPrivate: contents.bytes)
        else {
            throw AuthenticationError(
                .invalidKey,
                "Invalid private key: not an RSA key in PKCS #8 or PKCS #1 that may sign RS256 (not only RSASSA-PSS).")
        }
        publicKey = RSAPublicKey(modulus: numbers.modulus, exponent: numbers.exponent)
        guard publicKey.bitCount >= 2048 else {
            throw AuthenticationError(
                .invalidKey,
                "RSA key too short: \(publicKey.bitCount) bits; RS256 needs 2048 or more (RFC 7518).")
        }
        do {
            key = try PrivateKey(contents)
        } catch {
            guard error.code == .invalidData else { throw error }
            throw AuthenticationError(.invalidKey, "Invalid private key: \(error.message)", underlying: error)
        }
        self.der = contents.bytes
    }

    /// Generates a key.
    /// - Parameter bits: 2048 to 8192.
    /// - Throws: ``AuthenticationError`` (`invalidKey`); `SystemLibraryError` (`missingLibrary`, `missingFunction`).
    public static func generate(bits: Int = 2048) throws -> RSAPrivateKey {
        guard (2048...8192).contains(bits) else {
            throw AuthenticationError(.invalidKey, "Invalid size of an RSA key: \(bits) bits; use 2048 to 8192.")
        }
        return try RSAPrivateKey(der: PrivateKey.generate(.rsa, bits: bits).bytes)
    }

    /// Signs data.
    /// - Throws: ``AuthenticationError`` (`signing`).
    public func signature(of data: Data) throws -> Data {
        do {
            return Data(try key.signature(of: [UInt8](data), .rsaPKCS1))
        } catch {
            throw AuthenticationError(.signing, "The RSA key could not sign: \(error.message)", underlying: error)
        }
    }
}

extension RSAPrivateKey: RedactedStringConvertible {
    /// The size of the key.
    public var description: String { "RSA private key, \(publicKey.bitCount) bits" }
}

/// An RSA public key.
public struct RSAPublicKey: Hashable, Sendable {
    /// The modulus, big-endian without leading zeros.
    public let modulus: Data
    /// The exponent, big-endian without leading zeros.
    public let exponent: Data

    /// Creates a key from its numbers.
    public init(modulus: Data, exponent: Data) {
        self.modulus = modulus
        self.exponent = exponent
    }

    /// The number of bits of the modulus.
    fileprivate var bitCount: Int { RSAPublicKeyEncoding.bitCount(modulus) }

    /// The key as a JSON Web Key (RFC 7517): `kty`, `n` and `e`.
    public var jwk: JSONValue {
        [
            "kty": "RSA", "n": .string(modulus.base64URLEncodedString()),
            "e": .string(exponent.base64URLEncodedString()),
        ]
    }
}

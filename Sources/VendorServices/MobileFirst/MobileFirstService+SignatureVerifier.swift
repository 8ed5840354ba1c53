public import Foundation
import SystemLibraries

extension MobileFirstService {
    /// A check of the RS256 signatures of registrations and client assertions.
    ///
    /// The default is ``structural``, which needs no cryptographic library. ``rs256`` verifies the mathematics too:
    ///
    /// ```swift
    /// configuration.signatures = .rs256
    /// ```
    public struct SignatureVerifier: Sendable {
        let isValid: @Sendable (_ signature: Data, _ message: Data, _ key: PublicKey) throws -> Bool

        /// Creates a verifier from a closure, called concurrently.
        /// - Parameter isValid: true if `signature` is the RSASSA-PKCS1-v1_5 signature with SHA-256 of `message`. If it
        ///   throws, the response has status 500 with the error's text.
        public init(
            isValid: @escaping @Sendable (_ signature: Data, _ message: Data, _ key: PublicKey) throws -> Bool
        ) {
            self.isValid = isValid
        }

        /// Checks the form only: the signature is as long as the modulus, smaller than it, and not zero.
        ///
        /// It does not detect a wrong private key or a changed message. Everything else is always checked: algorithm,
        /// key type and size, that the key is the registered one, and all members of the payload.
        public static let structural = SignatureVerifier { signature, _, key in
            signature.count == key.modulus.count && signature.lexicographicallyPrecedes(key.modulus)
                && signature.contains { $0 != 0 }
        }

        /// Verifies the signature with the platform's cryptography: Security on Apple platforms, else OpenSSL's
        /// libcrypto.
        public static let rs256 = SignatureVerifier { signature, message, key in
            let pkcs1 = RSAPublicKeyEncoding.pkcs1(modulus: key.modulus, exponent: key.exponent)
            guard let contents = PublicKeyContents(.rsa, pkcs1) else { return false }
            return try SystemLibraries.PublicKey(contents).isValid([UInt8](signature), of: [UInt8](message), .rsaPKCS1)
        }
    }
}

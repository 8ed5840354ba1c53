#if canImport(Security)
    package import Foundation
    import Security

    /// RSA public key of Security.
    package final class RSAVerificationKey: Sendable {
        private let key: SecKey

        /// Makes a public key from its numbers, which are big-endian.
        /// - Throws: `SystemLibraryError` (`invalidData`).
        package init(modulus: Data, exponent: Data) throws(SystemLibraryError) {
            let attributes: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeyClass as String: kSecAttrKeyClassPublic,
            ]
            let data = RSAPublicKeyEncoding.pkcs1(modulus: modulus, exponent: exponent)
            guard
                let key = SecKeyCreateWithData(
                    NSData(data: data) as CFData, NSDictionary(dictionary: attributes) as CFDictionary, nil)
            else {
                throw SystemLibraryError(
                    .invalidData, library: "Security",
                    "Security cannot read the RSA public key; check its modulus and exponent.")
            }
            self.key = key
        }

        /// Verifies a signature: RSASSA-PKCS1-v1_5 with SHA-256.
        /// - Returns: false for an invalid signature, of any length.
        package func isValid(_ signature: Data, of data: Data) throws(SystemLibraryError) -> Bool {
            SecKeyVerifySignature(
                key, SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256, NSData(data: data) as CFData,
                NSData(data: signature) as CFData, nil)
        }
    }
#endif

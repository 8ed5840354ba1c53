#if canImport(Security)
    package import Foundation
    import Security

    /// RSA private key of Security.
    package final class RSAKey: Sendable {
        private let key: SecKey

        /// Reads a private key in PKCS #1 DER.
        /// - Throws: `SystemLibraryError` (`invalidData`).
        package init(pkcs1: Data) throws(SystemLibraryError) {
            let attributes: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
            ]
            guard
                let key = SecKeyCreateWithData(
                    NSData(data: pkcs1) as CFData, NSDictionary(dictionary: attributes) as CFDictionary, nil)
            else {
                throw SystemLibraryError(
                    .invalidData, library: "Security",
                    "Security cannot read the RSA key; check that it is complete.")
            }
            self.key = key
        }

        /// Generates a private key in PKCS #1 DER.
        /// - Throws: `SystemLibraryError` (`failed`).
        package static func generate(bits: Int) throws(SystemLibraryError) -> Data {
            let attributes: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: bits,
            ]
            guard let key = SecKeyCreateRandomKey(NSDictionary(dictionary: attributes) as CFDictionary, nil),
                let data = SecKeyCopyExternalRepresentation(key, nil)
            else {
                throw SystemLibraryError(
                    .failed, library: "Security", "Security cannot generate an RSA key of \(bits) bits.")
            }
            return Data(referencing: data as NSData)
        }

        /// Signs data: RSASSA-PKCS1-v1_5 with SHA-256.
        /// - Throws: `SystemLibraryError` (`failed`).
        package func signature(of data: Data) throws(SystemLibraryError) -> Data {
            guard
                let signature = SecKeyCreateSignature(
                    key, SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256, NSData(data: data) as CFData, nil)
            else {
                throw SystemLibraryError(.failed, library: "Security", "Security cannot sign with the RSA key.")
            }
            return Data(referencing: signature as NSData)
        }
    }
#endif

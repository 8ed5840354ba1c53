#if canImport(Security)
    import CryptoKit
    import Foundation
    import Security

    /// Public key of CryptoKit, or of Security if it is an RSA key.
    package final class PublicKey: Sendable {
        private enum Key {
            case ed25519(Curve25519.Signing.PublicKey)
            case p256(P256.Signing.PublicKey)
            case p384(P384.Signing.PublicKey)
            case rsa(SecKey)
        }

        private let key: Key
        package let kind: KeyKind

        /// - Throws: `SystemLibraryError` (`invalidData`).
        package init(_ contents: PublicKeyContents) throws(SystemLibraryError) {
            let key: Key? =
                switch contents.kind {
                case .ed25519: (try? Curve25519.Signing.PublicKey(rawRepresentation: contents.bytes)).map(Key.ed25519)
                case .p256: (try? P256.Signing.PublicKey(x963Representation: contents.bytes)).map(Key.p256)
                case .p384: (try? P384.Signing.PublicKey(x963Representation: contents.bytes)).map(Key.p384)
                case .rsa, .rsaPSS: SecKey.rsa(contents.bytes, keyClass: kSecAttrKeyClassPublic).map(Key.rsa)
                }
            guard let key else {
                throw SystemLibraryError(
                    .invalidData, library: "Security", "Security cannot read the public key; check its numbers.")
            }
            self.key = key
            kind = contents.kind
        }

        /// Verifies a signature.
        /// - Returns: false for an invalid signature, of any length.
        /// - Throws: `SystemLibraryError` (`failed`) for a scheme of another kind of key.
        package func isValid(
            _ signature: [UInt8], of bytes: [UInt8], _ scheme: SignatureScheme
        ) throws(SystemLibraryError) -> Bool {
            try scheme.check(kind, library: "Security")
            let (signature, data) = (Data(signature), Data(bytes))
            switch key {
            case .ed25519(let key): return key.isValidSignature(signature, for: data)
            case .p256(let key):
                guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
                    return false
                }
                return key.isValidSignature(signature, for: data)
            case .p384(let key):
                guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else {
                    return false
                }
                return key.isValidSignature(signature, for: data)
            case .rsa(let key):
                return SecKeyVerifySignature(
                    key, scheme.rsaAlgorithm, NSData(data: data) as CFData, NSData(data: signature) as CFData, nil)
            }
        }
    }
#endif

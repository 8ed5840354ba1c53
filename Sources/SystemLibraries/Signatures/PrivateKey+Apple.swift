#if canImport(Security)
    import CryptoKit
    import Foundation
    import Security

    /// Private key of CryptoKit, or of Security if it is an RSA key.
    package final class PrivateKey: Sendable {
        private enum Key {
            case ed25519(Curve25519.Signing.PrivateKey)
            case p256(P256.Signing.PrivateKey)
            case p384(P384.Signing.PrivateKey)
            case rsa(SecKey, pkcs1: Data)
        }

        private let key: Key
        package let kind: KeyKind

        /// - Throws: `SystemLibraryError` (`invalidData`).
        package init(_ contents: PrivateKeyContents) throws(SystemLibraryError) {
            let key: Key? =
                switch contents.kind {
                case .ed25519: (try? Curve25519.Signing.PrivateKey(rawRepresentation: contents.bytes)).map(Key.ed25519)
                case .p256: (try? P256.Signing.PrivateKey(rawRepresentation: contents.bytes)).map(Key.p256)
                case .p384: (try? P384.Signing.PrivateKey(rawRepresentation: contents.bytes)).map(Key.p384)
                case .rsa, .rsaPSS:
                    SecKey.rsa(contents.bytes, keyClass: kSecAttrKeyClassPrivate).map {
                        .rsa($0, pkcs1: contents.bytes)
                    }
                }
            guard let key else {
                throw SystemLibraryError(
                    .invalidData, library: "Security",
                    "Security cannot read the private key; check that it is complete.")
            }
            self.key = key
            kind = contents.kind
        }

        /// Generates a key.
        /// - Parameter bits: the size of an RSA key.
        /// - Throws: `SystemLibraryError` (`failed`).
        package static func generate(_ kind: KeyKind, bits: Int = 2048) throws(SystemLibraryError) -> PrivateKeyContents
        {
            let bytes: Data? =
                switch kind {
                case .ed25519: Curve25519.Signing.PrivateKey().rawRepresentation
                case .p256: P256.Signing.PrivateKey().rawRepresentation
                case .p384: P384.Signing.PrivateKey().rawRepresentation
                case .rsa, .rsaPSS: SecKey.generateRSA(bits: bits)
                }
            guard let bytes, let contents = PrivateKeyContents(kind, bytes) else {
                throw SystemLibraryError(
                    .failed, library: "Security", "Security cannot generate a key of the kind \(kind).")
            }
            return contents
        }

        /// The public key.
        /// - Throws: `SystemLibraryError` (`failed`).
        package func publicContents() throws(SystemLibraryError) -> PublicKeyContents {
            let bytes: Data? =
                switch key {
                case .ed25519(let key): key.publicKey.rawRepresentation
                case .p256(let key): key.publicKey.x963Representation
                case .p384(let key): key.publicKey.x963Representation
                case .rsa(_, let pkcs1):
                    RSAPublicKeyEncoding.numbers(ofPrivate: pkcs1).map {
                        RSAPublicKeyEncoding.pkcs1(modulus: $0.modulus, exponent: $0.exponent)
                    }
                }
            guard let bytes, let contents = PublicKeyContents(kind, bytes) else {
                throw SystemLibraryError(.failed, library: "Security", "Security cannot encode the public key.")
            }
            return contents
        }

        /// Signs bytes. CryptoKit's Ed25519 signatures are not deterministic.
        /// - Throws: `SystemLibraryError` (`failed`), also for a scheme of another kind of key.
        package func signature(of bytes: [UInt8], _ scheme: SignatureScheme) throws(SystemLibraryError) -> [UInt8] {
            try scheme.check(kind, library: "Security")
            let signature: Data? =
                switch key {
                case .ed25519(let key): try? key.signature(for: Data(bytes))
                case .p256(let key): (try? key.signature(for: Data(bytes)))?.rawRepresentation
                case .p384(let key): (try? key.signature(for: Data(bytes)))?.rawRepresentation
                case .rsa(let key, _):
                    SecKeyCreateSignature(key, scheme.rsaAlgorithm, NSData(data: Data(bytes)) as CFData, nil)
                        .map { Data(referencing: $0 as NSData) }
                }
            guard let signature else {
                throw SystemLibraryError(.failed, library: "Security", "Security cannot sign with the private key.")
            }
            return Array(signature)
        }
    }

    extension SignatureScheme {
        var rsaAlgorithm: SecKeyAlgorithm {
            self == .rsaPSS
                ? SecKeyAlgorithm.rsaSignatureMessagePSSSHA512 : SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256
        }
    }

    extension SecKey {
        /// Reads an RSA key in PKCS #1 DER; nil if it is not one.
        static func rsa(_ pkcs1: Data, keyClass: CFString) -> SecKey? {
            let attributes: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeyClass as String: keyClass,
            ]
            return SecKeyCreateWithData(
                NSData(data: pkcs1) as CFData, NSDictionary(dictionary: attributes) as CFDictionary, nil)
        }

        /// A new private key in PKCS #1 DER.
        fileprivate static func generateRSA(bits: Int) -> Data? {
            let attributes: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: bits,
            ]
            guard let key = SecKeyCreateRandomKey(NSDictionary(dictionary: attributes) as CFDictionary, nil),
                let data = SecKeyCopyExternalRepresentation(key, nil)
            else { return nil }
            return Data(referencing: data as NSData)
        }
    }
#endif

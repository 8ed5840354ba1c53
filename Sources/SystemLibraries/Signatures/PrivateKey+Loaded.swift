#if !canImport(Security)
    import Foundation

    /// Private key of OpenSSL's libcrypto.
    package final class PrivateKey: Sendable {
        package let kind: KeyKind
        // The key is reference-counted and immutable; signing contexts are made for each signature.
        private nonisolated(unsafe) let key: OpaquePointer
        private let library: CryptoFunctions

        /// - Throws: `SystemLibraryError` (`missingLibrary`, `missingFunction`, `invalidData`).
        package init(_ contents: PrivateKeyContents) throws(SystemLibraryError) {
            kind = contents.kind
            library = try CryptoFunctions.system.get()
            // The older form of RSA keys, which libraries without PKCS #8 for RSA read too.
            let key = library.decode([UInt8](kind.isRSA ? contents.bytes : contents.der), library.decodePrivateKey)
            guard let key else {
                throw CryptoFunctions.error(
                    .invalidData, "libcrypto cannot read the private key; check that it is complete.")
            }
            self.key = key
        }

        deinit { library.freeKey(key) }

        /// Generates a key.
        /// - Parameter bits: the size of an RSA key.
        /// - Throws: `SystemLibraryError` (`missingLibrary`, `missingFunction`, `failed`).
        package static func generate(_ kind: KeyKind, bits: Int = 2048) throws(SystemLibraryError) -> PrivateKeyContents
        {
            let library = try CryptoFunctions.system.get()
            defer { library.clearErrors() }
            let context = library.newKeyContext(kind.typeNumber, nil)
            defer { library.freeKeyContext(context) }
            var key: OpaquePointer?
            guard let context, library.beginKeyGeneration(context) == 1,
                !kind.isRSA || library.setKeyOption(context, "rsa_keygen_bits", "\(bits)") == 1,
                kind.curve.map({ library.setKeyOption(context, "ec_paramgen_curve", $0.name) == 1 }) ?? true,
                library.generateKey(context, &key) == 1, let key
            else { throw CryptoFunctions.error(.failed, "libcrypto cannot generate a key of the kind \(kind).") }
            defer { library.freeKey(key) }
            // The generated key is one without restriction.
            guard let contents = PrivateKeyContents(der: Data(library.encode(key, library.encodePrivateKey))),
                let restricted = PrivateKeyContents(kind, contents.bytes)
            else { throw CryptoFunctions.error(.failed, "libcrypto cannot encode the private key.") }
            return restricted
        }

        /// The public key.
        /// - Throws: `SystemLibraryError` (`failed`).
        package func publicContents() throws(SystemLibraryError) -> PublicKeyContents {
            guard let contents = PublicKeyContents(der: Data(library.encode(key, library.encodePublicKey))),
                let restricted = PublicKeyContents(kind, contents.bytes)
            else { throw CryptoFunctions.error(.failed, "libcrypto cannot encode the public key.") }
            return restricted
        }

        /// Signs bytes.
        /// - Throws: `SystemLibraryError` (`failed`), also for a scheme of another kind of key.
        package func signature(of bytes: [UInt8], _ scheme: SignatureScheme) throws(SystemLibraryError) -> [UInt8] {
            try scheme.check(kind, library: CryptoFunctions.libraryNames[0])
            defer { library.clearErrors() }
            let context = library.newDigestContext()
            defer { library.freeDigestContext(context) }
            var count = 0
            guard let context, library.begin(library.beginSigning, context, key, scheme),
                library.sign(context, nil, &count, bytes, bytes.count) == 1
            else { throw CryptoFunctions.error(.failed, "libcrypto cannot sign with the private key.") }
            var signature = [UInt8](repeating: 0, count: count)
            guard library.sign(context, &signature, &count, bytes, bytes.count) == 1 else {
                throw CryptoFunctions.error(.failed, "libcrypto cannot sign with the private key.")
            }
            signature.removeLast(signature.count - count)
            guard let curve = kind.curve else { return signature }
            guard let raw = ECDSASignature.raw(der: signature, on: curve) else {
                throw CryptoFunctions.error(.failed, "libcrypto made a malformed signature.")
            }
            return raw
        }
    }

    extension KeyKind {
        /// Constants of `evp.h`: `EVP_PKEY_RSA` and others.
        fileprivate var typeNumber: CInt {
            switch self {
            case .rsa, .rsaPSS: 6
            case .p256, .p384: 408
            case .ed25519: 1087
            }
        }
    }
#endif

#if !canImport(Security)
    /// Public key of OpenSSL's libcrypto.
    package final class PublicKey: Sendable {
        package let kind: KeyKind
        // The key is reference-counted and immutable; verifying contexts are made for each signature.
        private nonisolated(unsafe) let key: OpaquePointer
        private let library: CryptoFunctions

        /// - Throws: `SystemLibraryError` (`missingLibrary`, `missingFunction`, `invalidData`).
        package init(_ contents: PublicKeyContents) throws(SystemLibraryError) {
            kind = contents.kind
            library = try CryptoFunctions.system.get()
            guard let key = library.decode([UInt8](contents.der), library.decodePublicKey) else {
                throw CryptoFunctions.error(
                    .invalidData, "libcrypto cannot read the public key; check its numbers.")
            }
            self.key = key
        }

        deinit { library.freeKey(key) }

        /// Verifies a signature.
        /// - Returns: false for an invalid signature, of any length.
        /// - Throws: `SystemLibraryError` (`failed`) if the verification cannot begin.
        package func isValid(
            _ signature: [UInt8], of bytes: [UInt8], _ scheme: SignatureScheme
        ) throws(SystemLibraryError) -> Bool {
            try scheme.check(kind, library: CryptoFunctions.libraryNames[0])
            let encoded = if let curve = kind.curve { ECDSASignature.der(raw: signature, on: curve) } else { signature }
            guard let signature = encoded else { return false }
            defer { library.clearErrors() }
            let context = library.newDigestContext()
            defer { library.freeDigestContext(context) }
            guard let context, library.begin(library.beginVerifying, context, key, scheme) else {
                throw CryptoFunctions.error(.failed, "libcrypto cannot verify with the public key.")
            }
            // 1 is a valid signature; 0 and negative numbers are an invalid and a malformed one.
            return library.verify(context, signature, signature.count, bytes, bytes.count) == 1
        }
    }
#endif

#if !canImport(Security)
    package import Foundation

    /// RSA public key of OpenSSL's libcrypto.
    package final class RSAVerificationKey: Sendable {
        // The key is reference-counted and immutable; verifying contexts are made for each signature.
        private nonisolated(unsafe) let key: OpaquePointer
        private let library: CryptoFunctions

        /// Makes a public key from its numbers, which are big-endian.
        /// - Throws: `SystemLibraryError` (`missingLibrary`, `missingFunction`, `invalidData`).
        package init(modulus: Data, exponent: Data) throws(SystemLibraryError) {
            library = try CryptoFunctions.system.get()
            let bytes = [UInt8](RSAPublicKeyEncoding.pkcs1(modulus: modulus, exponent: exponent))
            let key = bytes.withUnsafeBufferPointer { [library] buffer in
                var start = buffer.baseAddress
                return library.decodePublicKey(CryptoConstant.rsa, nil, &start, CLong(buffer.count))
            }
            guard let key else {
                library.clearErrors()
                throw CryptoFunctions.error(
                    .invalidData, "libcrypto cannot read the RSA public key; check its modulus and exponent.")
            }
            self.key = key
        }

        deinit { library.freeKey(key) }

        /// Verifies a signature: RSASSA-PKCS1-v1_5 with SHA-256.
        /// - Returns: false for an invalid signature, of any length.
        /// - Throws: `SystemLibraryError` (`failed`) if the verification cannot begin.
        package func isValid(_ signature: Data, of data: Data) throws(SystemLibraryError) -> Bool {
            defer { library.clearErrors() }
            let context = library.newDigestContext()
            defer { library.freeDigestContext(context) }
            guard let context, library.beginVerifying(context, nil, library.sha256(), nil, key) == 1 else {
                throw CryptoFunctions.error(.failed, "libcrypto cannot verify with the RSA public key.")
            }
            let (signature, data) = ([UInt8](signature), [UInt8](data))
            // 1 is a valid signature; 0 and negative numbers are an invalid and a malformed one.
            return library.verify(context, signature, signature.count, data, data.count) == 1
        }
    }
#endif

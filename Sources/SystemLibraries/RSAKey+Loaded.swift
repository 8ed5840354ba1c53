#if !canImport(Security)
    package import Foundation

    /// RSA private key of OpenSSL's libcrypto.
    package final class RSAKey: Sendable {
        // The key is reference-counted and immutable; signing contexts are made for each signature.
        private nonisolated(unsafe) let key: OpaquePointer
        private let library: CryptoFunctions

        /// Reads a private key in PKCS #1 DER.
        /// - Throws: `SystemLibraryError` (`missingLibrary`, `missingFunction`, `invalidData`).
        package init(pkcs1: Data) throws(SystemLibraryError) {
            library = try CryptoFunctions.system.get()
            let bytes = [UInt8](pkcs1)
            let key = bytes.withUnsafeBufferPointer { [library] buffer in
                var start = buffer.baseAddress
                return library.decodePrivateKey(nil, &start, CLong(buffer.count))
            }
            guard let key else {
                library.clearErrors()
                throw CryptoFunctions.error(
                    .invalidData, "libcrypto cannot read the RSA key; check that it is complete.")
            }
            self.key = key
        }

        deinit { library.freeKey(key) }

        /// Generates a private key in PKCS #1 or PKCS #8 DER.
        /// - Throws: `SystemLibraryError` (`missingLibrary`, `missingFunction`, `failed`).
        package static func generate(bits: Int) throws(SystemLibraryError) -> Data {
            let library = try CryptoFunctions.system.get()
            defer { library.clearErrors() }
            let context = library.newKeyContext(CryptoConstant.rsa, nil)
            defer { library.freeKeyContext(context) }
            var key: OpaquePointer?
            guard let context, library.beginKeyGeneration(context) == 1,
                library.setKeyOption(context, "rsa_keygen_bits", "\(bits)") == 1,
                library.generateKey(context, &key) == 1, let key
            else { throw CryptoFunctions.error(.failed, "libcrypto cannot generate an RSA key of \(bits) bits.") }
            defer { library.freeKey(key) }
            let count = Int(library.encodePrivateKey(key, nil))
            guard count > 0 else { throw CryptoFunctions.error(.failed, "libcrypto cannot encode the RSA key.") }
            var bytes = [UInt8](repeating: 0, count: count)
            bytes.withUnsafeMutableBufferPointer { buffer in
                var start = buffer.baseAddress
                _ = library.encodePrivateKey(key, &start)
            }
            return Data(bytes)
        }

        /// Signs data: RSASSA-PKCS1-v1_5 with SHA-256.
        /// - Throws: `SystemLibraryError` (`failed`).
        package func signature(of data: Data) throws(SystemLibraryError) -> Data {
            defer { library.clearErrors() }
            let context = library.newDigestContext()
            defer { library.freeDigestContext(context) }
            let bytes = [UInt8](data)
            var count = 0
            guard let context, library.beginSigning(context, nil, library.sha256(), nil, key) == 1,
                library.sign(context, nil, &count, bytes, bytes.count) == 1
            else { throw CryptoFunctions.error(.failed, "libcrypto cannot sign with the RSA key.") }
            var signature = [UInt8](repeating: 0, count: count)
            guard library.sign(context, &signature, &count, bytes, bytes.count) == 1 else {
                throw CryptoFunctions.error(.failed, "libcrypto cannot sign with the RSA key.")
            }
            return Data(signature.prefix(count))
        }
    }
#endif

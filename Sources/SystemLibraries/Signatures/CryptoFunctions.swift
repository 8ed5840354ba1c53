#if !canImport(Security)
    /// Function table of OpenSSL's libcrypto, versions 1.1 and 3, with the types of `evp.h`.
    struct CryptoFunctions: Sendable {
        typealias DecodeKey =
            @convention(c) @Sendable (
                UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>, CLong
            ) -> OpaquePointer?
        typealias EncodeKey =
            @convention(c) @Sendable (OpaquePointer, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> CInt
        typealias Free = @convention(c) @Sendable (OpaquePointer?) -> Void
        typealias New = @convention(c) @Sendable () -> OpaquePointer?
        typealias BeginDigest =
            @convention(c) @Sendable (
                OpaquePointer, UnsafeMutablePointer<OpaquePointer?>?, _ digest: OpaquePointer?,
                _ engine: OpaquePointer?, _ key: OpaquePointer
            ) -> CInt
        typealias Sign =
            @convention(c) @Sendable (
                OpaquePointer, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>, UnsafePointer<UInt8>, Int
            ) -> CInt
        typealias Verify =
            @convention(c) @Sendable (
                OpaquePointer, _ signature: UnsafePointer<UInt8>, Int, _ data: UnsafePointer<UInt8>, Int
            ) -> CInt
        typealias NewKeyContext = @convention(c) @Sendable (_ type: CInt, _ engine: OpaquePointer?) -> OpaquePointer?
        typealias BeginKeyGeneration = @convention(c) @Sendable (OpaquePointer) -> CInt
        typealias SetKeyOption =
            @convention(c) @Sendable (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt
        typealias GenerateKey = @convention(c) @Sendable (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>) -> CInt
        typealias ClearErrors = @convention(c) @Sendable () -> Void

        let decodePrivateKey: DecodeKey
        let decodePublicKey: DecodeKey
        let encodePrivateKey: EncodeKey
        let encodePublicKey: EncodeKey
        let freeKey: Free
        let newDigestContext: New
        let freeDigestContext: Free
        let sha256: New
        let sha384: New
        let sha512: New
        let beginSigning: BeginDigest
        let sign: Sign
        let beginVerifying: BeginDigest
        let verify: Verify
        let newKeyContext: NewKeyContext
        let freeKeyContext: Free
        let beginKeyGeneration: BeginKeyGeneration
        let setKeyOption: SetKeyOption
        let generateKey: GenerateKey
        let clearErrors: ClearErrors

        static let libraryNames = ["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"]

        /// The system's libcrypto, loaded once.
        static let system = Result { () throws(SystemLibraryError) in try load() }

        /// Loads the functions at run time, so that the build needs no header or development package.
        static func load(from names: [String] = libraryNames) throws(SystemLibraryError) -> CryptoFunctions {
            try load(openLibrary(from: names))
        }

        /// Loads the first library that exists.
        static func openLibrary(from names: [String] = libraryNames) throws(SystemLibraryError) -> DynamicLibrary {
            for name in names.dropLast() {
                if let library = try? DynamicLibrary(name, isIsolated: true) { return library }
            }
            return try DynamicLibrary(names.last ?? "libcrypto.so", isIsolated: true)
        }

        private static func load(_ library: DynamicLibrary) throws(SystemLibraryError) -> CryptoFunctions {
            CryptoFunctions(
                decodePrivateKey: try library.function("d2i_AutoPrivateKey", as: DecodeKey.self),
                decodePublicKey: try library.function("d2i_PUBKEY", as: DecodeKey.self),
                encodePrivateKey: try library.function("i2d_PrivateKey", as: EncodeKey.self),
                encodePublicKey: try library.function("i2d_PUBKEY", as: EncodeKey.self),
                freeKey: try library.function("EVP_PKEY_free", as: Free.self),
                newDigestContext: try library.function("EVP_MD_CTX_new", as: New.self),
                freeDigestContext: try library.function("EVP_MD_CTX_free", as: Free.self),
                sha256: try library.function("EVP_sha256", as: New.self),
                sha384: try library.function("EVP_sha384", as: New.self),
                sha512: try library.function("EVP_sha512", as: New.self),
                beginSigning: try library.function("EVP_DigestSignInit", as: BeginDigest.self),
                sign: try library.function("EVP_DigestSign", as: Sign.self),
                beginVerifying: try library.function("EVP_DigestVerifyInit", as: BeginDigest.self),
                verify: try library.function("EVP_DigestVerify", as: Verify.self),
                newKeyContext: try library.function("EVP_PKEY_CTX_new_id", as: NewKeyContext.self),
                freeKeyContext: try library.function("EVP_PKEY_CTX_free", as: Free.self),
                beginKeyGeneration: try library.function("EVP_PKEY_keygen_init", as: BeginKeyGeneration.self),
                setKeyOption: try library.function("EVP_PKEY_CTX_ctrl_str", as: SetKeyOption.self),
                generateKey: try library.function("EVP_PKEY_keygen", as: GenerateKey.self),
                clearErrors: try library.function("ERR_clear_error", as: ClearErrors.self))
        }

        static func error(_ code: SystemLibraryError.Code, _ message: String) -> SystemLibraryError {
            SystemLibraryError(code, library: libraryNames[0], message)
        }
    }
#endif

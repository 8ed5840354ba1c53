#if !canImport(Security)
    /// Function table of libcrypto's ciphers, versions 1.1 and 3, with the types of `evp.h`.
    struct CipherFunctions: Sendable {
        typealias Begin =
            @convention(c) @Sendable (
                OpaquePointer, _ cipher: OpaquePointer?, _ engine: OpaquePointer?, _ key: UnsafePointer<UInt8>?,
                _ nonce: UnsafePointer<UInt8>?, _ encrypts: CInt
            ) -> CInt
        typealias Update =
            @convention(c) @Sendable (
                OpaquePointer, _ output: UnsafeMutablePointer<UInt8>?, _ count: UnsafeMutablePointer<CInt>,
                _ input: UnsafePointer<UInt8>?, CInt
            ) -> CInt
        typealias Finish =
            @convention(c) @Sendable (OpaquePointer, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<CInt>) -> CInt
        typealias Control = @convention(c) @Sendable (OpaquePointer, CInt, CInt, UnsafeMutableRawPointer?) -> CInt

        let newContext: CryptoFunctions.New
        let freeContext: CryptoFunctions.Free
        let aes256GCM: CryptoFunctions.New
        let begin: Begin
        let update: Update
        let finish: Finish
        let control: Control
        let clearErrors: CryptoFunctions.ClearErrors

        /// The system's libcrypto, loaded once.
        static let system = Result { () throws(SystemLibraryError) in
            try CipherFunctions(CryptoFunctions.openLibrary())
        }

        init(_ library: DynamicLibrary) throws(SystemLibraryError) {
            newContext = try library.function("EVP_CIPHER_CTX_new")
            freeContext = try library.function("EVP_CIPHER_CTX_free")
            aes256GCM = try library.function("EVP_aes_256_gcm")
            begin = try library.function("EVP_CipherInit_ex")
            update = try library.function("EVP_CipherUpdate")
            finish = try library.function("EVP_CipherFinal_ex")
            control = try library.function("EVP_CIPHER_CTX_ctrl")
            clearErrors = try library.function("ERR_clear_error")
        }
    }
#endif

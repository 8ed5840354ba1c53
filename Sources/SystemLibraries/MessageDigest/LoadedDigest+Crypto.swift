#if !canImport(Security)
    /// Message digest of OpenSSL's libcrypto.
    final class LoadedDigest: DigestEngine {
        private let functions: DigestFunctions
        private let context: OpaquePointer
        private let byteCount: Int
        private var hasFailed = false

        /// Nil if libcrypto is missing, lacks the algorithm, or refuses it, as a FIPS build does with MD5.
        init?(_ algorithm: MessageDigest.Algorithm) {
            guard let functions = DigestFunctions.system, let type = functions.type(of: algorithm),
                let context = functions.newContext()
            else { return nil }
            guard functions.begin(context, type, nil) == 1 else {
                functions.freeContext(context)
                functions.clearErrors()
                return nil
            }
            (self.functions, self.context, byteCount) = (functions, context, algorithm.byteCount)
        }

        deinit { functions.freeContext(context) }

        func update(_ bytes: UnsafeRawBufferPointer) {
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
            if functions.update(context, start, bytes.count) != 1 { hasFailed = true }
        }

        func finish() throws(SystemLibraryError) -> [UInt8] {
            var digest = [UInt8](repeating: 0, count: byteCount)
            guard functions.finish(context, &digest, nil) == 1, !hasFailed else {
                functions.clearErrors()
                throw CryptoFunctions.error(.failed, "libcrypto cannot compute the message digest.")
            }
            return digest
        }
    }

    /// Function table of libcrypto's digests, with the types of `evp.h`.
    struct DigestFunctions: Sendable {
        typealias Begin =
            @convention(c) @Sendable (OpaquePointer, _ type: OpaquePointer, _ engine: OpaquePointer?) -> CInt
        typealias Update = @convention(c) @Sendable (OpaquePointer, UnsafeRawPointer, Int) -> CInt
        typealias Finish =
            @convention(c) @Sendable (
                OpaquePointer, UnsafeMutablePointer<UInt8>, _ count: UnsafeMutablePointer<CUnsignedInt>?
            ) -> CInt

        let newContext: CryptoFunctions.New
        let freeContext: CryptoFunctions.Free
        let begin: Begin
        let update: Update
        let finish: Finish
        let clearErrors: CryptoFunctions.ClearErrors
        private let md5: CryptoFunctions.New?
        private let sha256: CryptoFunctions.New?
        private let sha512: CryptoFunctions.New?
        /// Nil for libcrypto before 1.1.1.
        private let sha512t256: CryptoFunctions.New?

        /// The system's libcrypto, loaded once; nil without one.
        static let system: DigestFunctions? = try? DigestFunctions(CryptoFunctions.openLibrary())

        init(_ library: DynamicLibrary) throws(SystemLibraryError) {
            newContext = try library.function("EVP_MD_CTX_new")
            freeContext = try library.function("EVP_MD_CTX_free")
            begin = try library.function("EVP_DigestInit_ex")
            update = try library.function("EVP_DigestUpdate")
            finish = try library.function("EVP_DigestFinal_ex")
            clearErrors = try library.function("ERR_clear_error")
            md5 = try? library.function("EVP_md5", as: CryptoFunctions.New.self)
            sha256 = try? library.function("EVP_sha256", as: CryptoFunctions.New.self)
            sha512 = try? library.function("EVP_sha512", as: CryptoFunctions.New.self)
            sha512t256 = try? library.function("EVP_sha512_256", as: CryptoFunctions.New.self)
        }

        /// The constant `EVP_MD` of an algorithm.
        func type(of algorithm: MessageDigest.Algorithm) -> OpaquePointer? {
            switch algorithm {
            case .md5: md5?()
            case .sha256: sha256?()
            case .sha512: sha512?()
            case .sha512t256: sha512t256?()
            }
        }
    }
#endif

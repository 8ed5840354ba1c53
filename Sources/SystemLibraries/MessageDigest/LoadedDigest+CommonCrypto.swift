#if canImport(Security)
    /// Message digest of CommonCrypto, which has no SHA-512/256.
    final class LoadedDigest: DigestEngine {
        private let functions: DigestFunctions
        private let context: UnsafeMutableRawPointer
        private let byteCount: Int

        /// Nil if CommonCrypto lacks the algorithm.
        init?(_ algorithm: MessageDigest.Algorithm) {
            let functions: DigestFunctions? =
                switch algorithm {
                case .md5: .md5
                case .sha256: .sha256
                case .sha512: .sha512
                case .sha512t256: nil
                }
            guard let functions else { return nil }
            // More than `CC_MD5_CTX`, `CC_SHA256_CTX` and `CC_SHA512_CTX` need, which have 92, 104 and 208 bytes.
            let context = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 16)
            _ = functions.begin(context)
            (self.functions, self.context, byteCount) = (functions, context, algorithm.byteCount)
        }

        deinit { context.deallocate() }

        func update(_ bytes: UnsafeRawBufferPointer) {
            var rest = bytes[...]
            while !rest.isEmpty {
                // `CC_LONG` has 32 bits.
                let part = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
                if let start = part.baseAddress { _ = functions.update(context, start, UInt32(part.count)) }
                rest = rest.dropFirst(part.count)
            }
        }

        // The functions of CommonCrypto always return 1.
        func finish() throws(SystemLibraryError) -> [UInt8] {
            var digest = [UInt8](repeating: 0, count: byteCount)
            _ = functions.finish(&digest, context)
            return digest
        }
    }

    /// Functions of one algorithm of CommonCrypto, with the types of `CommonDigest.h`.
    struct DigestFunctions: Sendable {
        typealias Begin = @convention(c) @Sendable (UnsafeMutableRawPointer) -> CInt
        typealias Update = @convention(c) @Sendable (UnsafeMutableRawPointer, UnsafeRawPointer, UInt32) -> CInt
        typealias Finish = @convention(c) @Sendable (UnsafeMutablePointer<UInt8>, UnsafeMutableRawPointer) -> CInt

        let begin: Begin
        let update: Update
        let finish: Finish

        static let md5 = try? DigestFunctions("CC_MD5")
        static let sha256 = try? DigestFunctions("CC_SHA256")
        static let sha512 = try? DigestFunctions("CC_SHA512")

        private init(_ prefix: String) throws(SystemLibraryError) {
            let library = try DynamicLibrary("/usr/lib/libSystem.B.dylib")
            begin = try library.function("\(prefix)_Init")
            update = try library.function("\(prefix)_Update")
            finish = try library.function("\(prefix)_Final")
        }
    }
#endif

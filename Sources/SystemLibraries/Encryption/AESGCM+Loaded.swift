#if !canImport(Security)
    extension AESGCM {
        // Constants of `evp.h`: EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG.
        private static let getTag: CInt = 0x10
        private static let setTag: CInt = 0x11

        /// Encrypts bytes; the tag is at the end.
        /// - Parameter header: bytes that are authenticated and not encrypted.
        /// - Throws: `SystemLibraryError` (`missingLibrary`, `missingFunction`, `failed`).
        package static func seal(
            _ text: [UInt8], key: [UInt8], nonce: [UInt8], authenticating header: [UInt8]
        ) throws(SystemLibraryError) -> [UInt8] {
            let sealed = try transform(text, encrypts: true, key, nonce, header) { library, context, output in
                var tag = [UInt8](repeating: 0, count: tagSize)
                guard library.end(context), library.control(context, getTag, CInt(tagSize), &tag) == 1
                else { return false }
                output += tag
                return true
            }
            guard let sealed else { throw CryptoFunctions.error(.failed, "libcrypto cannot encrypt.") }
            return sealed
        }

        /// Decrypts bytes; nil if the key is another one, or a byte was changed.
        /// - Throws: `SystemLibraryError` (`missingLibrary`, `missingFunction`, `failed`).
        package static func open(
            _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating header: [UInt8]
        ) throws(SystemLibraryError) -> [UInt8]? {
            guard sealed.count >= tagSize else { return nil }
            var tag = Array(sealed.suffix(tagSize))
            return try transform(
                Array(sealed.dropLast(tagSize)), encrypts: false, key, nonce, header
            ) { library, context, _ in
                library.control(context, setTag, CInt(tagSize), &tag) == 1 && library.end(context)
            }
        }

        /// Runs the cipher; nil if `finish` fails.
        private static func transform(
            _ input: [UInt8], encrypts: Bool, _ key: [UInt8], _ nonce: [UInt8], _ header: [UInt8],
            _ finish: (CipherFunctions, OpaquePointer, inout [UInt8]) -> Bool
        ) throws(SystemLibraryError) -> [UInt8]? {
            let library = try CipherFunctions.system.get()
            defer { library.clearErrors() }
            let context = library.newContext()
            defer { library.freeContext(context) }
            // The nonce has the cipher's default size.
            guard let context, key.count == keySize, nonce.count == nonceSize, let size = CInt(exactly: input.count),
                let headerSize = CInt(exactly: header.count),
                library.begin(context, library.aes256GCM(), nil, key, nonce, encrypts ? 1 : 0) == 1
            else { throw CryptoFunctions.error(.failed, "libcrypto cannot begin to encrypt or decrypt.") }
            var output = [UInt8](repeating: 0, count: input.count)
            var count: CInt = 0
            guard headerSize == 0 || library.update(context, nil, &count, header, headerSize) == 1,
                size == 0 || library.update(context, &output, &count, input, size) == 1
            else { throw CryptoFunctions.error(.failed, "libcrypto cannot encrypt or decrypt.") }
            return finish(library, context, &output) ? output : nil
        }
    }

    extension CipherFunctions {
        /// Ends the cipher, which writes no more bytes in this mode; false for a wrong tag.
        fileprivate func end(_ context: OpaquePointer) -> Bool {
            var (rest, count) = ([UInt8](repeating: 0, count: 16), CInt(0))
            return finish(context, &rest, &count) == 1 && count == 0
        }
    }
#endif

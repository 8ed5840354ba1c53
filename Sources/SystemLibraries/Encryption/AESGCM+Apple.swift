#if canImport(Security)
    import CryptoKit
    import Foundation

    extension AESGCM {
        /// Encrypts bytes; the tag is at the end.
        /// - Parameter header: bytes that are authenticated and not encrypted.
        /// - Throws: `SystemLibraryError` (`failed`).
        package static func seal(
            _ text: [UInt8], key: [UInt8], nonce: [UInt8], authenticating header: [UInt8]
        ) throws(SystemLibraryError) -> [UInt8] {
            guard key.count == keySize, nonce.count == nonceSize,
                let nonce = try? AES.GCM.Nonce(data: Data(nonce)),
                let box = try? AES.GCM.seal(
                    Data(text), using: SymmetricKey(data: Data(key)), nonce: nonce, authenticating: Data(header))
            else { throw SystemLibraryError(.failed, library: "CryptoKit", "CryptoKit cannot encrypt.") }
            return Array(box.ciphertext) + Array(box.tag)
        }

        /// Decrypts bytes; nil if the key is another one, or a byte was changed.
        package static func open(
            _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating header: [UInt8]
        ) throws(SystemLibraryError) -> [UInt8]? {
            guard key.count == keySize, nonce.count == nonceSize, sealed.count >= tagSize,
                let nonce = try? AES.GCM.Nonce(data: Data(nonce)),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: Data(sealed.dropLast(tagSize)), tag: Data(sealed.suffix(tagSize))),
                let text = try? AES.GCM.open(box, using: SymmetricKey(data: Data(key)), authenticating: Data(header))
            else { return nil }
            return Array(text)
        }
    }
#endif

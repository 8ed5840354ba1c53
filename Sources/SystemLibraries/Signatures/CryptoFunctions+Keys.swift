#if !canImport(Security)
    extension CryptoFunctions {
        /// Reads a key in DER; nil if it is not one.
        func decode(_ der: [UInt8], _ decode: DecodeKey) -> OpaquePointer? {
            defer { clearErrors() }
            return der.withUnsafeBufferPointer { buffer in
                var start = buffer.baseAddress
                return decode(nil, &start, CLong(buffer.count))
            }
        }

        /// Writes a key in DER; empty if it cannot be written.
        func encode(_ key: OpaquePointer, _ encode: EncodeKey) -> [UInt8] {
            let count = Int(encode(key, nil))
            guard count > 0 else { return [] }
            var bytes = [UInt8](repeating: 0, count: count)
            bytes.withUnsafeMutableBufferPointer { buffer in
                var start = buffer.baseAddress
                _ = encode(key, &start)
            }
            return bytes
        }

        /// Begins a signature or a verification.
        func begin(
            _ begin: BeginDigest, _ context: OpaquePointer, _ key: OpaquePointer, _ scheme: SignatureScheme
        ) -> Bool {
            switch scheme {
            case .ed25519: return begin(context, nil, nil, nil, key) == 1
            case .ecdsaP256, .rsaPKCS1: return begin(context, nil, sha256(), nil, key) == 1
            case .ecdsaP384: return begin(context, nil, sha384(), nil, key) == 1
            case .rsaPSS:
                var keyContext: OpaquePointer?
                // MGF1 has the same hash unless it is set.
                return begin(context, &keyContext, sha512(), nil, key) == 1
                    && keyContext.map {
                        setKeyOption($0, "rsa_padding_mode", "pss") == 1
                            && setKeyOption($0, "rsa_pss_saltlen", "64") == 1
                    } ?? false
            }
        }
    }
#endif

// SQL folds the letters of ASCII and no others, and tells texts apart by their bytes. Swift's own way would take the
// Kelvin sign for a K, and a long s for an S.
extension String {
    /// The text with ASCII letters in capitals, if it has no other characters than those of ASCII.
    var asciiUppercased: String? {
        var text = self
        return text.withUTF8 { bytes in
            guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
            return String(unsafeUninitializedCapacity: bytes.count) { copy in
                for (index, byte) in bytes.enumerated() {
                    copy[index] = (0x61...0x7A).contains(byte) ? byte & ~0x20 : byte
                }
                return bytes.count
            }
        }
    }

    /// The text with its ASCII letters in small ones.
    var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

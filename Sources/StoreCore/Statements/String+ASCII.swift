// SQL folds the case of ASCII letters only, and compares texts by bytes. Swift's case mapping would turn the Kelvin
// sign into k, and a long s into S.
extension String {
    /// The text in ASCII upper case; nil if it contains other characters.
    package var asciiUppercased: String? {
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

    /// The text with its ASCII letters in lower case.
    package var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

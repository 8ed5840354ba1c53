extension JSONScanner {
    /// A string in the text, as it is written between its quotes.
    struct RawString {
        let start: UnsafePointer<UInt8>
        let count: Int
        let isASCII: Bool
        let isEscaped: Bool

        /// The characters.
        var string: String {
            let bytes = UnsafeBufferPointer(start: start, count: count)
            guard isEscaped else { return String(decoding: bytes, as: UTF8.self) }
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 1) { scratch in
                // The quotes around the string were read, so the one before it is within the text.
                var scanner = JSONScanner(
                    start - 1, count + 2, from: 0, scratch: scratch.baseAddress.unsafelyUnwrapped)
                return (try? scanner.string()).map { String(decoding: $0, as: UTF8.self) } ?? ""
            }
        }
    }

    /// Reads a string without unescaping it; the position is at its opening quote.
    @inline(__always)
    mutating func skipString() throws(Stop) -> RawString {
        position += 1
        let start = position
        var isASCII = true
        var isEscaped = false
        try skipPlainCharacters(&isASCII)
        while take("\\") {
            isEscaped = true
            _ = try escaped()
            try skipPlainCharacters(&isASCII)
        }
        position += 1
        return RawString(start: start, count: position - 1 - start, isASCII: isASCII, isEscaped: isEscaped)
    }

    /// Reads a value that is not a list or an object, of any range.
    mutating func skipScalar() throws(Stop) {
        switch byte {
        case UInt8(ascii: "\""): _ = try skipString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try decimal()
        default: _ = try scalar()
        }
    }
}

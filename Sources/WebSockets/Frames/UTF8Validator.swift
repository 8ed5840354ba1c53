/// Validates UTF-8 that arrives in pieces, which may split a character (RFC 3629, section 4).
///
/// ```
/// complete -lead byte->           missing(n), with the bounds of the next byte
/// missing  -continuation byte->   missing(n - 1), or complete
/// any      -other byte->          invalid
/// ```
struct UTF8Validator {
    private var missing = 0
    private var bounds: ClosedRange<UInt8> = 0x80...0xBF

    /// True at the end of a character.
    var isComplete: Bool { missing == 0 }

    /// Adds bytes.
    /// - Returns: false if they cannot be a part of valid UTF-8.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0, index &+ 8 <= bytes.count {
                // Eight ASCII bytes at a time.
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if word & 0x8080_8080_8080_8080 == 0 {
                    index &+= 8
                    continue
                }
            }
            let byte = bytes[index]
            index &+= 1
            if missing > 0 {
                guard bounds.contains(byte) else { return false }
                missing &-= 1
                bounds = 0x80...0xBF
            } else if byte >= 0x80, !begin(byte) {
                return false
            }
        }
        return true
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        bounds = 0x80...0xBF
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, bounds) = (2, 0xA0...0xBF)
        // No surrogates.
        case 0xED: (missing, bounds) = (2, 0x80...0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, bounds) = (3, 0x90...0xBF)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, bounds) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}

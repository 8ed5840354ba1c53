/// Well-formed UTF-8 sequence of two to four bytes, by its first byte (Unicode 16, table 3-7).
struct UTF8Sequence {
    /// Number of bytes. All from the third one on are continuation bytes.
    let length: Int
    /// Allowed second bytes.
    let second: ClosedRange<UInt8>

    /// Nil for a byte that cannot be the first of several.
    @inline(__always)
    init?(lead: UInt8) {
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
    }

    @inline(__always)
    static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}

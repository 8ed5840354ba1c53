/// Characters of a text as SQLite reads them, also where it is not valid UTF-8.
///
/// A byte below 0xC0 is a character, also a continuation byte that follows no other one. Any other byte is one together
/// with all continuation bytes after it.
enum SQLCharacters {
    /// The index after the character at an index.
    @inline(__always)
    static func index<Bytes: RandomAccessCollection<UInt8>>(after index: Int, in bytes: Bytes) -> Int
    where Bytes.Index == Int {
        var next = index + 1
        if bytes[index] >= 0xC0 { while next < bytes.endIndex, bytes[next] & 0xC0 == 0x80 { next += 1 } }
        return next
    }

    /// The number of characters.
    static func count(_ text: ArraySlice<UInt8>) -> Int {
        var count = 0
        var index = text.startIndex
        while index < text.endIndex {
            index = self.index(after: index, in: text)
            count += 1
        }
        return count
    }

    /// The code points of all characters.
    static func codes(of text: ArraySlice<UInt8>) -> [UInt32] {
        var codes: [UInt32] = []
        var index = text.startIndex
        while index < text.endIndex {
            let next = self.index(after: index, in: text)
            codes.append(code(of: text[index..<next]))
            index = next
        }
        return codes
    }

    /// The code point of a character. As in SQLite, it is U+FFFD for an overlong sequence, a surrogate and U+FFFE.
    static func code(of character: ArraySlice<UInt8>) -> UInt32 {
        let lead = character[character.startIndex]
        guard lead >= 0xC0 else { return UInt32(lead) }
        var code: UInt32 =
            switch lead {
            case ..<0xE0: UInt32(lead & 0x1F)
            case ..<0xF0: UInt32(lead & 0x0F)
            case ..<0xF8: UInt32(lead & 0x07)
            case ..<0xFC: UInt32(lead & 0x03)
            case ..<0xFE: UInt32(lead & 0x01)
            default: 0
            }
        for byte in character.dropFirst() { code = code << 6 &+ UInt32(byte & 0x3F) }
        return code < 0x80 || code & ~0x7FF == 0xD800 || code & ~1 == 0xFFFE ? 0xFFFD : code
    }
}

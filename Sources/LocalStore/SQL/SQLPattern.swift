/// The patterns of LIKE and GLOB (sqlite.org/lang_expr.html, section 5).
enum SQLPattern {
    enum Style: Sendable { case like, glob }

    /// `%` is any text, `_` any character; ASCII letters match in any case.
    /// - Parameter escape: the character, in UTF-8, behind which one stands for itself; empty for none.
    static func like(
        _ pattern: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, escape: UnsafeRawBufferPointer
    ) -> Bool {
        var (place, position) = (0, 0)
        // Where to go on after the last `%`, which has taken the text up to there.
        var (retryPlace, retryPosition) = (-1, 0)
        while true {
            if place < pattern.count {
                var next = place
                var isLiteral = false
                if starts(pattern, at: place, with: escape) {
                    next += escape.count
                    guard next < pattern.count else { return false }
                    isLiteral = true
                }
                let byte = pattern[next]
                if !isLiteral, byte == UInt8(ascii: "%") {
                    place = next + 1
                    if place == pattern.count { return true }
                    (retryPlace, retryPosition) = (place, position)
                    continue
                }
                if position < text.count {
                    if !isLiteral, byte == UInt8(ascii: "_") {
                        place = next + 1
                        position = behindCharacter(text, at: position)
                        continue
                    }
                    if isSame(byte, text[position]) {
                        place = next + 1
                        position += 1
                        continue
                    }
                }
            } else if position == text.count {
                return true
            }
            guard retryPlace >= 0, retryPosition < text.count else { return false }
            retryPosition = behindCharacter(text, at: retryPosition)
            // Most characters do not even begin what comes next.
            let first = pattern[retryPlace]
            if first != UInt8(ascii: "%"), first != UInt8(ascii: "_"), first != escape.first {
                while retryPosition < text.count, !isSame(first, text[retryPosition]) { retryPosition += 1 }
            }
            (place, position) = (retryPlace, retryPosition)
        }
    }

    @inline(__always)
    private static func starts(
        _ bytes: UnsafeRawBufferPointer, at position: Int, with prefix: UnsafeRawBufferPointer
    ) -> Bool {
        guard let first = prefix.first, bytes[position] == first, position + prefix.count <= bytes.count else {
            return false
        }
        return bytes[position..<position + prefix.count].elementsEqual(prefix)
    }

    @inline(__always)
    private static func behindCharacter(_ text: UnsafeRawBufferPointer, at position: Int) -> Int {
        var position = position + 1
        while position < text.count, text[position] & 0xC0 == 0x80 { position += 1 }
        return position
    }

    @inline(__always)
    private static func isSame(_ one: UInt8, _ other: UInt8) -> Bool {
        one == other || one ^ other == 0x20 && (0x61...0x7A).contains(one | 0x20)
    }
}

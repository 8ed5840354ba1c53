/// Pattern matching of LIKE and GLOB (sqlite.org/lang_expr.html, section 5).
enum SQLPattern {
    enum Style: Sendable { case like, glob }

    /// Matches LIKE: `%` any text, `_` any character; ASCII letters match in any case.
    ///
    /// Greedy matching with one backtracking point, the last `%`: an earlier one never needs to be retried.
    /// - Parameter escape: the escape character in UTF-8; the character after it is literal. Empty for none.
    static func like(
        _ pattern: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, escape: UnsafeRawBufferPointer
    ) -> Bool {
        var (patternIndex, textIndex) = (0, 0)
        // The backtracking point: the pattern after the last `%`, and where its text began.
        var (retryPatternIndex, retryTextIndex) = (-1, 0)
        while true {
            if patternIndex < pattern.count {
                var next = patternIndex
                var isLiteral = false
                if starts(pattern, at: patternIndex, with: escape) {
                    next += escape.count
                    guard next < pattern.count else { return false }
                    isLiteral = true
                }
                let byte = pattern[next]
                if !isLiteral, byte == UInt8(ascii: "%") {
                    patternIndex = next + 1
                    if patternIndex == pattern.count { return true }
                    (retryPatternIndex, retryTextIndex) = (patternIndex, textIndex)
                    continue
                }
                if textIndex < text.count {
                    if !isLiteral, byte == UInt8(ascii: "_") {
                        patternIndex = next + 1
                        textIndex = SQLCharacters.index(after: textIndex, in: text)
                        continue
                    }
                    if isSame(byte, text[textIndex]) {
                        patternIndex = next + 1
                        textIndex += 1
                        continue
                    }
                }
            } else if textIndex == text.count {
                return true
            }
            guard retryPatternIndex >= 0, retryTextIndex < text.count else { return false }
            retryTextIndex = SQLCharacters.index(after: retryTextIndex, in: text)
            // Skip ahead to the next possible first byte.
            let first = pattern[retryPatternIndex]
            if first != UInt8(ascii: "%"), first != UInt8(ascii: "_"), first != escape.first {
                while retryTextIndex < text.count, !isSame(first, text[retryTextIndex]) { retryTextIndex += 1 }
            }
            (patternIndex, textIndex) = (retryPatternIndex, retryTextIndex)
        }
    }

    @inline(__always)
    private static func starts(
        _ bytes: UnsafeRawBufferPointer, at index: Int, with prefix: UnsafeRawBufferPointer
    ) -> Bool {
        guard let first = prefix.first, bytes[index] == first, index + prefix.count <= bytes.count else {
            return false
        }
        return bytes[index..<index + prefix.count].elementsEqual(prefix)
    }

    @inline(__always)
    private static func isSame(_ one: UInt8, _ other: UInt8) -> Bool {
        one == other || one ^ other == 0x20 && (0x61...0x7A).contains(one | 0x20)
    }
}

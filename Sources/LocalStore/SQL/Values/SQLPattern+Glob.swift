extension SQLPattern {
    /// Matches GLOB, case-sensitively: `*` any text, `?` any character, `[a-z]` one of a set, `[^a-z]` one outside it.
    ///
    /// Greedy matching with one backtracking point, the last `*`: an earlier one never needs to be retried.
    static func glob(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        let pattern = Array(String(decoding: pattern, as: UTF8.self).unicodeScalars)
        let text = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
        var (index, textIndex) = (0, 0)
        var (retryPatternIndex, retryTextIndex) = (-1, 0)
        while true {
            if index < pattern.count {
                if pattern[index] == "*" {
                    index += 1
                    (retryPatternIndex, retryTextIndex) = (index, textIndex)
                    continue
                }
                if textIndex < text.count, let next = indexAfterMatch(pattern, index, text[textIndex]) {
                    index = next
                    textIndex += 1
                    continue
                }
            } else if textIndex == text.count {
                return true
            }
            guard retryPatternIndex >= 0, retryTextIndex < text.count else { return false }
            retryTextIndex += 1
            (index, textIndex) = (retryPatternIndex, retryTextIndex)
        }
    }

    /// - Returns: the index after the part of the pattern that matches a character; nil if it does not match.
    private static func indexAfterMatch(_ pattern: [Unicode.Scalar], _ index: Int, _ character: Unicode.Scalar) -> Int?
    {
        switch pattern[index] {
        case "?": return index + 1
        case "[": return indexAfterSet(pattern, index + 1, character)
        default: return pattern[index] == character ? index + 1 : nil
        }
    }

    private static func indexAfterSet(_ pattern: [Unicode.Scalar], _ index: Int, _ character: Unicode.Scalar) -> Int? {
        var index = index
        func sees(_ scalar: Unicode.Scalar) -> Bool { index < pattern.count && pattern[index] == scalar }
        let isInverted = sees("^")
        if isInverted { index += 1 }
        var isFound = false
        // A `]` that comes first is a member of the set.
        if sees("]") {
            isFound = character == "]"
            index += 1
        }
        var lower: Unicode.Scalar?
        while index < pattern.count, pattern[index] != "]" {
            if pattern[index] == "-", let first = lower, index + 1 < pattern.count, pattern[index + 1] != "]" {
                index += 1
                if character >= first, character <= pattern[index] { isFound = true }
                lower = nil
            } else {
                if pattern[index] == character { isFound = true }
                lower = pattern[index]
            }
            index += 1
        }
        return index < pattern.count && isFound != isInverted ? index + 1 : nil
    }
}

extension SQLPattern {
    /// Matches GLOB, case-sensitively: `*` any text, `?` any character, `[a-z]` one of a set, `[^a-z]` one outside it.
    ///
    /// Greedy matching with one backtracking point, the last `*`: an earlier one never needs to be retried.
    static func glob(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        let pattern = SQLCharacters.codes(of: pattern)
        let text = SQLCharacters.codes(of: text)
        var (index, textIndex) = (0, 0)
        var (retryPatternIndex, retryTextIndex) = (-1, 0)
        while true {
            if index < pattern.count {
                if pattern[index] == Self.star {
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

    private static let star = UInt32(UInt8(ascii: "*"))
    private static let question = UInt32(UInt8(ascii: "?"))
    private static let open = UInt32(UInt8(ascii: "["))
    private static let close = UInt32(UInt8(ascii: "]"))
    private static let caret = UInt32(UInt8(ascii: "^"))
    private static let dash = UInt32(UInt8(ascii: "-"))

    /// - Returns: the index after the part of the pattern that matches a character; nil if it does not match.
    private static func indexAfterMatch(_ pattern: [UInt32], _ index: Int, _ character: UInt32) -> Int? {
        switch pattern[index] {
        case Self.question: return index + 1
        case Self.open: return indexAfterSet(pattern, index + 1, character)
        default: return pattern[index] == character ? index + 1 : nil
        }
    }

    private static func indexAfterSet(_ pattern: [UInt32], _ index: Int, _ character: UInt32) -> Int? {
        var index = index
        func sees(_ code: UInt32) -> Bool { index < pattern.count && pattern[index] == code }
        let isInverted = sees(Self.caret)
        if isInverted { index += 1 }
        var isFound = false
        // A `]` that comes first is a member of the set.
        if sees(Self.close) {
            isFound = character == Self.close
            index += 1
        }
        var lower: UInt32?
        while index < pattern.count, pattern[index] != Self.close {
            if pattern[index] == Self.dash, let first = lower, index + 1 < pattern.count,
                pattern[index + 1] != Self.close
            {
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

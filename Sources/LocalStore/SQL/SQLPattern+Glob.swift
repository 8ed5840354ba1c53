extension SQLPattern {
    /// `*` is any text, `?` any character, `[a-z]` one of a set, `[^a-z]` one that is not; case matters.
    static func glob(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        let pattern = Array(String(decoding: pattern, as: UTF8.self).unicodeScalars)
        let text = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
        var (place, position) = (0, 0)
        var (retryPlace, retryPosition) = (-1, 0)
        while true {
            if place < pattern.count {
                if pattern[place] == "*" {
                    place += 1
                    (retryPlace, retryPosition) = (place, position)
                    continue
                }
                if position < text.count, let next = behindMatch(pattern, place, text[position]) {
                    place = next
                    position += 1
                    continue
                }
            } else if position == text.count {
                return true
            }
            guard retryPlace >= 0, retryPosition < text.count else { return false }
            retryPosition += 1
            (place, position) = (retryPlace, retryPosition)
        }
    }

    /// - Returns: the place behind the part of the pattern that a character matches; nil when it does not.
    private static func behindMatch(_ pattern: [Unicode.Scalar], _ place: Int, _ character: Unicode.Scalar) -> Int? {
        switch pattern[place] {
        case "?": return place + 1
        case "[": return behindSet(pattern, place + 1, character)
        default: return pattern[place] == character ? place + 1 : nil
        }
    }

    private static func behindSet(_ pattern: [Unicode.Scalar], _ place: Int, _ character: Unicode.Scalar) -> Int? {
        var place = place
        func sees(_ scalar: Unicode.Scalar) -> Bool { place < pattern.count && pattern[place] == scalar }
        let isInverted = sees("^")
        if isInverted { place += 1 }
        var isFound = false
        // A bracket that comes first is one of the set.
        if sees("]") {
            isFound = character == "]"
            place += 1
        }
        var lower: Unicode.Scalar?
        while place < pattern.count, pattern[place] != "]" {
            if pattern[place] == "-", let first = lower, place + 1 < pattern.count, pattern[place + 1] != "]" {
                place += 1
                if character >= first, character <= pattern[place] { isFound = true }
                lower = nil
            } else {
                if pattern[place] == character { isFound = true }
                lower = pattern[place]
            }
            place += 1
        }
        return place < pattern.count && isFound != isInverted ? place + 1 : nil
    }
}

import Foundation

/// Conversion of names between `snake_case` and `camelCase`, by the documented rules of Foundation's coders.
enum SnakeCase {
    /// Converts `one_two_three` to `oneTwoThree`. Underscores at both ends are kept.
    static func camelCase(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "_")), let first = name.firstIndex(where: { $0 != "_" }),
            let last = name.lastIndex(where: { $0 != "_" })
        else { return name }
        let words = name[first...last].split(separator: "_")
        let joined =
            words.count == 1
            ? String(name[first...last])
            : words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
        return name[..<first] + joined + name[name.index(after: last)...]
    }

    /// Converts `oneTwoThree` to `one_two_three`, and `myURLProperty` to `my_url_property`.
    static func snakeCase(_ name: String) -> String {
        guard !name.isEmpty else { return name }
        var words: [Range<String.Index>] = []
        var wordStart = name.startIndex
        var search = name.index(after: wordStart)..<name.endIndex
        while let upper = name[search].firstIndex(where: \.isUppercaseLetter) {
            words.append(wordStart..<upper)
            search = upper..<search.upperBound
            guard let lower = name[search].firstIndex(where: \.isLowercaseLetter) else {
                wordStart = search.lowerBound
                break
            }
            // One capital letter, or a run of them, of which the last one starts the next word.
            if lower == name.index(after: upper) {
                wordStart = upper
            } else {
                let beforeLower = name.index(before: lower)
                words.append(upper..<beforeLower)
                wordStart = beforeLower
            }
            search = lower..<search.upperBound
        }
        words.append(wordStart..<search.upperBound)
        return words.map { name[$0].lowercased() }.joined(separator: "_")
    }
}

extension Character {
    /// True if the first scalar is an upper-case or title-case letter.
    fileprivate var isUppercaseLetter: Bool {
        let category = unicodeScalars.first?.properties.generalCategory
        return category == .uppercaseLetter || category == .titlecaseLetter
    }

    fileprivate var isLowercaseLetter: Bool {
        unicodeScalars.first?.properties.generalCategory == .lowercaseLetter
    }
}

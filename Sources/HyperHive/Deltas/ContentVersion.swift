/// Versions of a response, as in its field `Content-Version`.
enum ContentVersion: Hashable, Sendable {
    /// All rows of a version.
    case full(Int)
    /// The changes from a base version to a target version; a base of 0 means all rows.
    case delta(base: Int, target: Int)

    /// Reads the field, with or without quotes: `6`, `v6`, `delta v1-v6`; nil for another value.
    init?(_ field: String) {
        var text = Self.trimmed(field[...])
        if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
            text = Self.trimmed(text.dropFirst().dropLast())
        }
        guard text.lowercased().hasPrefix("delta") else {
            guard let version = Self.number(text) else { return nil }
            self = .full(version)
            return
        }
        let parts = text.dropFirst("delta".count).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let base = Self.number(Self.trimmed(parts[0])),
            let target = Self.number(Self.trimmed(parts[1])), base <= target
        else { return nil }
        self = .delta(base: base, target: target)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    /// Reads `6` or `v6`.
    private static func number(_ text: Substring) -> Int? {
        let digits = text.hasPrefix("v") || text.hasPrefix("V") ? text.dropFirst() : text
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(digits)
    }
}

/// List of texts as one text, in which no element can imitate two: each has its length in bytes before it (`3:abc`).
enum LengthPrefixedList {
    static func text(_ elements: [String]) -> String { elements.map { "\($0.utf8.count):\($0)" }.joined() }

    /// Reads a list; nil for another text.
    static func elements(_ text: String) -> [String]? {
        var elements: [String] = []
        var rest = text.utf8[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            let start = rest.index(after: colon)
            guard let count = Int(String(Substring(rest[..<colon]))), count >= 0,
                let end = rest.index(start, offsetBy: count, limitedBy: rest.endIndex),
                let element = String(rest[start..<end])
            else { return nil }
            elements.append(element)
            rest = rest[end...]
        }
        return rest.isEmpty ? elements : nil
    }
}

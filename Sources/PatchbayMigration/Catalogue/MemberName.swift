/// A base name and argument labels, as in `send(_:completionHandler:)`; no labels at all for a property.
struct MemberName: Hashable, Sendable {
    var base: String
    /// Labels, `_` for a missing one; nil for a property.
    var labels: [String]?

    init(base: String, labels: [String]? = nil) {
        self.base = base
        self.labels = labels
    }

    /// Reads `base`, `base(label:_:)` or a selector `base:label:`, whose first label is `_`.
    init(_ text: Substring) {
        if let open = text.firstIndex(of: "(") {
            base = String(text[..<open])
            labels = text[text.index(after: open)...].split(separator: ":").filter { $0 != ")" }.map(String.init)
        } else if text.contains(":") {
            let parts = text.split(separator: ":").map(String.init)
            base = parts.first ?? ""
            labels = ["_"] + parts.dropFirst()
        } else {
            base = String(text)
            labels = nil
        }
    }

    /// Swift's spelling.
    var text: String {
        guard let labels else { return base }
        return "\(base)(\(labels.map { "\($0):" }.joined()))"
    }

    /// The same text for a selector and for what Swift makes of it: without the word "with", signs and case.
    var flat: String {
        var words: [Substring] = [base[...]]
        for label in labels ?? [] where label != "_" { words.append(label[...]) }
        return words.map { word in
            var text = word.hasPrefix("set") || !word.hasPrefix("with") ? word : word.dropFirst(4)
            if text.isEmpty { text = word }
            return text.replacing("With", with: "").lowercased()
        }.joined()
    }

    /// Whether a call with these labels can be a call of `other`, whose other parameters have defaults or are closures.
    func canCall(_ other: MemberName) -> Bool {
        guard let labels, let others = other.labels else { return labels == nil || other.labels == nil }
        var rest = others[...]
        for label in labels {
            guard let found = rest.firstIndex(of: label) else { return false }
            rest = rest[(found + 1)...]
        }
        return true
    }
}

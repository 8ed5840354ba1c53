/// A scope: elements without duplicates, in their order (RFC 6749, section 3.3).
struct Scope: Sendable {
    /// The scope of a client without further rights.
    static let defaultName = "RegisteredClient"

    let elements: [String]

    /// Parses a scope; without elements it is the default one.
    init(_ text: String?) {
        var seen: Set<String> = []
        let elements = (text ?? "").split(separator: " ").map(String.init).filter { seen.insert($0).inserted }
        self.elements = elements.isEmpty ? [Self.defaultName] : elements
    }

    /// The elements, separated by spaces.
    var text: String { elements.joined(separator: " ") }
    /// The elements sorted, so that order does not matter.
    var key: String { elements.sorted().joined(separator: " ") }

    func contains(_ other: Scope) -> Bool { Set(elements).isSuperset(of: other.elements) }
}

/// What a file is encrypted with. It shows itself in no description.
public struct StoreKey: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible, CustomReflectable {
    let text: String

    /// A pass phrase. An empty one is ``none``.
    public init(_ text: String) { self.text = text }
    /// A pass phrase.
    public init(stringLiteral value: String) { self.init(value) }

    /// No key: the file is not encrypted.
    public static let none = StoreKey("")

    /// Whether there is a key.
    public var description: String { text.isEmpty ? "no key" : "a key" }
    /// Shows whether there is a key.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}

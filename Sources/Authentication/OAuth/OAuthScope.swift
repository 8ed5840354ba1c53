/// An OAuth scope: a set of names in alphabetical order (RFC 6749, section 3.3), so `b a` equals `a b`.
public struct OAuthScope: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The names in alphabetical order, separated by single spaces.
    public let text: String

    /// Creates a scope from names, separated by spaces in any order; duplicates and nil are ignored.
    public init(_ text: String? = nil) {
        self.init((text ?? "").split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// Creates a scope from names.
    public init(_ names: some Sequence<String>) { text = Set(names).sorted().joined(separator: " ") }

    /// The scope without names: the server chooses its default.
    public static let empty = OAuthScope()

    /// The names in alphabetical order.
    public var names: [String] { text.split(separator: " ").map(String.init) }
    /// True without names.
    public var isEmpty: Bool { text.isEmpty }

    /// Reads the text.
    public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Same as ``text``.
    public var description: String { text }
}

extension OAuthScope: ExpressibleByStringLiteral {
    /// Creates a scope from names, separated by spaces.
    public init(stringLiteral text: String) { self.init(text) }
}

extension OAuthScope: ExpressibleByArrayLiteral {
    /// Creates a scope from names.
    public init(arrayLiteral names: String...) { self.init(names) }
}

import HTTPMessages

/// URI template of RFC 6570, level 4, parsed once and expanded many times.
///
/// ```swift
/// let template = try URITemplate("repos/{owner}/issues{?state,labels}")
/// try template.expand(["owner": "a/b", "state": "open", "labels": ["bug", "ui"]])
/// // "repos/a%2Fb/issues?state=open&labels=bug,ui"
/// ```
///
/// Each variable needs a value; nil leaves it out, as the RFC does with undefined ones. So a misspelled name is an
/// error instead of another URL.
public struct URITemplate: Hashable, Sendable, CustomStringConvertible {
    /// The template as written: a low-cardinality name without values, for logs and metrics.
    public let text: String
    /// The names of the variables, in the order of their first use.
    public let variables: [String]
    let parts: [Part]

    /// Parses a template.
    /// - Throws: ``URITemplateError`` (`invalidTemplate`) with the offset of the first wrong byte.
    public init(_ text: String) throws(URITemplateError) {
        var parser = URITemplateParser(text)
        try parser.parse()
        self.text = text
        variables = parser.variables
        parts = parser.parts
    }

    /// Same as ``text``.
    public var description: String { text }

    /// Compares the texts.
    public static func == (left: URITemplate, right: URITemplate) -> Bool { left.text == right.text }
    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension URITemplate {
    enum Part: Sendable {
        /// Encoded text.
        case literal([UInt8])
        case expression(Expression)
    }

    /// What is between braces.
    struct Expression: Sendable {
        let operation: Operation
        let variables: [Variable]
    }

    struct Variable: Sendable {
        /// The position in ``URITemplate/variables``.
        let number: Int
        let name: String
        let modifier: Modifier
    }

    enum Modifier: Hashable, Sendable {
        case none
        /// `:n`, the first characters of a text.
        case prefix(Int)
        /// `*`, each element or pair by itself.
        case explode
    }

    /// A row of the table in appendix A of the RFC.
    struct Operation: Sendable {
        /// The text before the first value; nil for none.
        let first: UInt8?
        let separator: UInt8
        /// True if names are written before values.
        let isNamed: Bool
        /// True if an empty value has an equals sign after its name.
        let hasEqualsIfEmpty: Bool
        /// True if reserved characters and percent-encoded ones are kept.
        let keepsReserved: Bool

        static let simple = Operation(",")
        private static let others: [UInt8: Operation] = [
            UInt8(ascii: "+"): Operation(",", keepsReserved: true),
            UInt8(ascii: "#"): Operation(",", first: "#", keepsReserved: true),
            UInt8(ascii: "."): Operation(".", first: "."), UInt8(ascii: "/"): Operation("/", first: "/"),
            UInt8(ascii: ";"): Operation(";", first: ";", isNamed: true),
            UInt8(ascii: "?"): Operation("&", first: "?", isNamed: true, hasEqualsIfEmpty: true),
            UInt8(ascii: "&"): Operation("&", first: "&", isNamed: true, hasEqualsIfEmpty: true),
        ]

        static func of(_ character: UInt8) -> Operation? { others[character] }

        private init(
            _ separator: Unicode.Scalar, first: Unicode.Scalar? = nil, isNamed: Bool = false,
            hasEqualsIfEmpty: Bool = false, keepsReserved: Bool = false
        ) {
            self.separator = UInt8(ascii: separator)
            self.first = first.map { UInt8(ascii: $0) }
            self.isNamed = isNamed
            self.hasEqualsIfEmpty = hasEqualsIfEmpty
            self.keepsReserved = keepsReserved
        }
    }
}

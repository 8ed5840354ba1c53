public import Foundation
package import PatchbayErrors

/// A type whose values may be those of variables in a URI template.
///
/// Strings, numbers, Booleans and UUIDs are texts; arrays are lists; dictionaries are pairs in the order of their keys,
/// and `KeyValuePairs` in their own.
public protocol URITemplateConvertible {
    /// The value in a template.
    var uriTemplateValue: URITemplate.Value { get }
}

extension URITemplate {
    /// Value of a variable: a text, a list of texts, or pairs of them. An empty list and no pairs are left out, as nil.
    public struct Value: Hashable, Sendable, URITemplateConvertible {
        enum Content: Hashable, Sendable {
            case text(String)
            case list([String])
            case pairs([Pair])
            /// A number that no text stands for.
            case notFinite
        }

        struct Pair: Hashable, Sendable {
            let name: String
            let value: String
        }

        let content: Content

        /// A text.
        public static func text(_ text: String) -> Value { Value(content: .text(text)) }
        /// A list of texts.
        public static func list(_ texts: [String]) -> Value { Value(content: .list(texts)) }
        /// Names and texts, in this order.
        public static func pairs(_ pairs: [(String, String)]) -> Value {
            Value(content: .pairs(pairs.map { Pair(name: $0, value: $1) }))
        }

        /// The value itself.
        public var uriTemplateValue: Value { self }

        fileprivate init(content: Content) { self.content = content }

        fileprivate init(list: some Sequence<some LosslessStringConvertible>) {
            let texts = list.map(\.text)
            self.init(content: texts.contains(nil) ? .notFinite : .list(texts.compactMap(\.self)))
        }

        fileprivate init(pairs: some Sequence<(String, some LosslessStringConvertible)>) {
            let pairs = pairs.map { pair in pair.1.text.map { Pair(name: pair.0, value: $0) } }
            self.init(content: pairs.contains(nil) ? .notFinite : .pairs(pairs.compactMap(\.self)))
        }
    }

    /// The values of the variables of a template; nil leaves a variable out.
    public struct Values: Hashable, Sendable, ExpressibleByDictionaryLiteral {
        struct Item: Hashable, Sendable {
            let name: String
            let value: Value?
        }

        var items: [Item]

        /// Creates values from names and values.
        public init(_ values: some Sequence<(String, (any URITemplateConvertible)?)>) {
            items = values.map { Item(name: $0, value: $1?.uriTemplateValue) }
        }

        /// Creates values from a literal such as `["id": 7, "tags": ["a", "b"], "page": nil]`.
        public init(dictionaryLiteral elements: (String, (any URITemplateConvertible)?)...) {
            items = elements.map { Item(name: $0, value: $1?.uriTemplateValue) }
        }
    }
}

extension URITemplate.Value: RedactedStringConvertible {
    /// The kind; never the text, which may be secret.
    public var description: String {
        switch content {
        case .text: "a text"
        case .list(let list): "a list of \(list.count)"
        case .pairs(let pairs): "\(pairs.count) pairs"
        case .notFinite: "a number that is not finite"
        }
    }
}

extension URITemplate.Values: RedactedStringConvertible {
    /// The names; never the values, which may be secret.
    public var description: String { items.map(\.name).joined(separator: ", ") }
}

extension LosslessStringConvertible {
    /// The text; nil for infinity and NaN.
    fileprivate var text: String? {
        if let number = self as? any FloatingPoint, !number.isFinite { return nil }
        return description
    }
}

extension URITemplateConvertible where Self: LosslessStringConvertible {
    /// The text of the value.
    public var uriTemplateValue: URITemplate.Value { .text(description) }
}

extension URITemplateConvertible where Self: LosslessStringConvertible & FloatingPoint {
    /// The text of the number. The template reports infinity and NaN as invalid.
    public var uriTemplateValue: URITemplate.Value { URITemplate.Value(content: text.map { .text($0) } ?? .notFinite) }
}

extension String: URITemplateConvertible {
    /// The string itself.
    public var uriTemplateValue: URITemplate.Value { .text(self) }
}

extension Substring: URITemplateConvertible {}
extension Int: URITemplateConvertible {}
extension Int32: URITemplateConvertible {}
extension Int64: URITemplateConvertible {}
extension UInt: URITemplateConvertible {}
extension UInt32: URITemplateConvertible {}
extension UInt64: URITemplateConvertible {}
extension Double: URITemplateConvertible {}
extension Float: URITemplateConvertible {}
extension Bool: URITemplateConvertible {}

extension UUID: URITemplateConvertible {
    /// The standard form.
    public var uriTemplateValue: URITemplate.Value { .text(uuidString) }
}

extension Array: URITemplateConvertible where Element: LosslessStringConvertible {
    /// The list of the elements' texts.
    public var uriTemplateValue: URITemplate.Value { URITemplate.Value(list: self) }
}

extension Dictionary: URITemplateConvertible where Key == String, Value: LosslessStringConvertible {
    /// The pairs in the order of their keys, so that equal dictionaries have equal expansions.
    public var uriTemplateValue: URITemplate.Value {
        URITemplate.Value(
            pairs: sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) })
    }
}

extension KeyValuePairs: URITemplateConvertible
where Key == String, Value: LosslessStringConvertible {
    /// The pairs in their order.
    public var uriTemplateValue: URITemplate.Value { URITemplate.Value(pairs: map { ($0.key, $0.value) }) }
}

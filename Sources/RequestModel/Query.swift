import HTTPMessages

/// The parameters of a URL's query or of a form, in order. A name may occur more than once.
///
/// ```swift
/// var query: Query = ["region": "east", "page": "2"]
/// query.append("tag", ["a", "b"], style: .brackets)
/// query.text()  // "region=east&page=2&tag%5B%5D=a&tag%5B%5D=b"
/// ```
///
/// Names and values are compared byte by byte: case counts, and so does how an accent is composed.
public struct Query: Sendable {
    /// One parameter.
    public struct Item: Sendable {
        /// The name, not encoded.
        public let name: String
        /// The value, not encoded; nil when there is no `=`, which is not the same as an empty value.
        public let value: String?

        /// A parameter; without a value, just its name is written.
        public init(_ name: String, _ value: String?) {
            self.name = name
            self.value = value
        }
    }

    private var items: [Item] = []

    /// No parameters.
    public init() {}

    /// The given parameters.
    public init(_ items: some Sequence<Item>) { self.items = Array(items) }

    /// The parameters of name and value pairs, in their order.
    public init(_ pairs: some Sequence<(String, String)>) { items = pairs.map { Item($0, $1) } }

    /// The first value of a name; nil when the name does not occur or its first item has no value.
    public subscript(name: String) -> String? {
        items.first { ExactText($0.name) == ExactText(name) }?.value
    }

    /// The values of a name, in order; an item without a value counts as empty.
    public func values(of name: String) -> [String] {
        items.lazy.filter { ExactText($0.name) == ExactText(name) }.map { $0.value ?? "" }
    }

    /// True when the name occurs.
    public func contains(_ name: String) -> Bool { items.contains { ExactText($0.name) == ExactText(name) } }

    /// Adds a parameter and keeps those of the same name.
    public mutating func append(_ name: String, _ value: String?) { items.append(Item(name, value)) }

    /// Makes `value` the only value of a name, at the place of its first item if there is one.
    public mutating func set(_ name: String, to value: String?) {
        let name = ExactText(name)
        let item = Item(name.text, value)
        guard let first = items.firstIndex(where: { ExactText($0.name) == name }) else { return items.append(item) }
        items[first] = item
        items[(first + 1)...].removeAll { ExactText($0.name) == name }
    }

    /// Removes every item of a name.
    public mutating func remove(_ name: String) { items.removeAll { ExactText($0.name) == ExactText(name) } }

    /// These parameters, in which every name that `other` has is replaced by the items of `other`.
    public func replacing(with other: Query) -> Query {
        if other.isEmpty { return self }
        if isEmpty { return other }
        // Telling a few names apart is faster than hashing them.
        if count * other.count <= 64 {
            return Query(items.filter { !other.contains($0.name) } + other.items)
        }
        let names = Set(other.items.lazy.map { ExactText($0.name) })
        return Query(items.filter { !names.contains(ExactText($0.name)) } + other.items)
    }

    /// These parameters and then those of `other`.
    public func appending(_ other: Query) -> Query { Query(items + other.items) }
}

extension Query.Item: Hashable {
    /// True when names and values are the same bytes.
    public static func == (left: Query.Item, right: Query.Item) -> Bool {
        ExactText(left.name) == ExactText(right.name)
            && left.value.map(ExactText.init) == right.value.map(ExactText.init)
    }
    /// Hashes the bytes of name and value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(name))
        hasher.combine(value.map(ExactText.init))
    }
}

extension Query: Hashable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// The parameters of a literal such as `["a": "1"]`, in its order.
    public init(dictionaryLiteral elements: (String, String?)...) { items = elements.map { Item($0, $1) } }
    /// The first item's place.
    public var startIndex: Int { items.startIndex }
    /// The place after the last item.
    public var endIndex: Int { items.endIndex }
    /// The item at a place.
    public subscript(position: Int) -> Item { items[position] }
}

extension Query.Item: CustomStringConvertible, CustomReflectable {
    /// The item as it stands in a URL; the value of a secret name is left out (`Redaction.standard`).
    public var description: String {
        let isSecret = value != nil && Redaction.standard.isSecret(name)
        return isSecret ? Query([Query.Item(name, nil)]).text() + "=" + Redaction.mark : Query([self]).text()
    }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["item": description]) }
}

extension Query: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The query as it stands in a URL; the values of secret names are left out (`Redaction.standard`).
    public var description: String { items.map(\.description).joined(separator: "&") }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["query": description]) }
}

/// A text that equals another only when their bytes are the same; a `String` also equals its other compositions.
struct ExactText: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}

import HTTPMessages
public import PatchbayErrors

/// Ordered multimap of the parameters of a URL query or a form.
///
/// ```swift
/// var query: Query = ["region": "east", "page": "2"]
/// query.append("tag", ["a", "b"], style: .brackets)
/// query.text()  // "region=east&page=2&tag%5B%5D=a&tag%5B%5D=b"
/// ```
///
/// A name may occur more than once. Names and values are compared bytewise: case-sensitively, and without Unicode
/// normalization.
public struct Query: Sendable {
    /// One parameter.
    public struct Item: Sendable {
        /// The decoded name.
        public let name: String
        /// The decoded value; nil for an item without `=`, which differs from an empty value.
        public let value: String?

        /// Creates a parameter; without a value, only its name is written.
        @inlinable
        public init(_ name: String, _ value: String?) {
            self.name = name
            self.value = value
        }
    }

    @usableFromInline var items: [Item] = []

    /// No parameters.
    public init() {}

    /// Creates a query from items.
    @inlinable
    public init(_ items: some Sequence<Item>) { self.items = Array(items) }

    /// Creates a query from name and value pairs, in their order.
    @inlinable
    public init(_ pairs: some Sequence<(String, String)>) { items = pairs.map { Item($0, $1) } }

    /// Creates a query from name and value pairs, in their order, without those whose value is nil.
    public init(_ pairs: KeyValuePairs<String, String?>) {
        items = pairs.compactMap { name, value in value.map { Item(name, $0) } }
    }

    /// The first value of a name; nil if the name does not occur or its first item has no value.
    public subscript(name: String) -> String? {
        items.first { BytewiseString($0.name) == BytewiseString(name) }?.value
    }

    /// All values of a name, in order; an item without a value yields an empty string.
    public func values(of name: String) -> [String] {
        items.lazy.filter { BytewiseString($0.name) == BytewiseString(name) }.map { $0.value ?? "" }
    }

    /// True if at least one parameter has the name.
    public func contains(_ name: String) -> Bool { items.contains { BytewiseString($0.name) == BytewiseString(name) } }

    /// Appends a parameter and keeps existing ones of the same name; nil appends the name without a value.
    public mutating func append(_ name: String, _ value: String?) { items.append(Item(name, value)) }

    mutating func reserveCapacity(_ count: Int) { items.reserveCapacity(count) }

    /// Appends text to the value of the item at a position.
    mutating func extendValue(at position: Int, by text: String) {
        let name = items[position].name
        var value = items[position].value ?? ""
        // Without the other reference to it, the string grows in place.
        items[position] = Item(name, nil)
        value += text
        items[position] = Item(name, value)
    }

    /// Replaces all values of a name by one, at the position of the first if there is one; nil sets the name without a
    /// value.
    public mutating func set(_ name: String, to value: String?) {
        let name = BytewiseString(name)
        let item = Item(name.text, value)
        guard let first = items.firstIndex(where: { BytewiseString($0.name) == name }) else {
            return items.append(item)
        }
        items[first] = item
        items[(first + 1)...].removeAll { BytewiseString($0.name) == name }
    }

    /// Removes all parameters of a name.
    public mutating func remove(_ name: String) { items.removeAll { BytewiseString($0.name) == BytewiseString(name) } }

    /// Returns these parameters merged with `other`, whose parameters replace those of the same names.
    public func merging(_ other: Query) -> Query {
        if other.isEmpty { return self }
        if isEmpty { return other }
        // Comparing a few names is faster than hashing them.
        if count * other.count <= 64 {
            return Query(items.filter { !other.contains($0.name) } + other.items)
        }
        let names = Set(other.items.lazy.map { BytewiseString($0.name) })
        return Query(items.filter { !names.contains(BytewiseString($0.name)) } + other.items)
    }

    /// Returns these parameters followed by those of `other`.
    public func appending(_ other: Query) -> Query { Query(items + other.items) }
}

extension Query.Item: Hashable {
    /// Compares names and values bytewise.
    public static func == (left: Query.Item, right: Query.Item) -> Bool {
        BytewiseString(left.name) == BytewiseString(right.name)
            && left.value.map(BytewiseString.init) == right.value.map(BytewiseString.init)
    }
    /// Hashes the bytes of name and value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(BytewiseString(name))
        hasher.combine(value.map(BytewiseString.init))
    }
}

extension Query: Hashable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// Creates a query from a literal such as `["state": "open", "page": 2]`, in its order.
    ///
    /// A parameter whose value is nil is left out, as by ``init(encoding:style:)``. A name without a value is a flag:
    /// `["archived": .flag]` is `?archived`.
    public init(dictionaryLiteral elements: (String, (any QueryConvertible)?)...) {
        items = elements.compactMap { name, value in value.map { Item(name, $0.queryText) } }
    }
    /// Position of the first item.
    public var startIndex: Int { items.startIndex }
    /// Position after the last item.
    public var endIndex: Int { items.endIndex }
    /// The item at a position.
    public subscript(position: Int) -> Item { items[position] }
}

extension Query.Item: RedactedStringConvertible {
    /// The encoded item; the value of a secret name is redacted (`Redaction.standard`).
    public var description: String {
        let isSecret = value != nil && Redaction.standard.isSecret(name)
        return isSecret ? Query([Query.Item(name, nil)]).text() + "=" + Redaction.placeholder : Query([self]).text()
    }
}

extension Query: RedactedStringConvertible, CustomDebugStringConvertible {
    /// The encoded query; values of secret names are redacted (`Redaction.standard`).
    public var description: String { items.map(\.description).joined(separator: "&") }
    /// Same as ``description``.
    public var debugDescription: String { description }
}

/// A string compared by its UTF-8 bytes; `String` compares by canonical equivalence.
struct BytewiseString: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: BytewiseString, right: BytewiseString) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}

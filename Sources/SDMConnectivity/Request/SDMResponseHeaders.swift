public import HTTPMessages
public import PatchbayErrors

/// The fields of a response by name, in any case: `headers["x-csrf-token"]`.
///
/// Several fields of one name are one, whose values are joined by commas, under the spelling of the first one.
public struct SDMResponseHeaders: Hashable, Sendable {
    private var names: [String] = []
    private var valuesByName: [String: String] = [:]

    /// Creates the headers of fields.
    public init(_ fields: HTTPFields) {
        for field in fields { append(field.value, to: field.name.rawName) }
    }

    /// The value of a field; nil without it.
    public subscript(name: String) -> String? { valuesByName[name.lowercased()] }

    /// The names in their order, as the engine spells them: URLSession on Linux has `Etag` for `ETag`.
    public var keys: [String] { names }
    /// The values in the order of ``keys``.
    public var values: [String] { map(\.value) }
    /// The fields as a dictionary, in which names have one spelling: that of ``keys``.
    public var dictionary: [String: String] { Dictionary(map { ($0.key, $0.value) }) { first, _ in first } }

    private mutating func append(_ value: String, to name: String) {
        if let old = valuesByName.updateValue(value, forKey: name.lowercased()) {
            valuesByName[name.lowercased()] = "\(old), \(value)"
        } else {
            names.append(name)
        }
    }

    /// Compares names in any case, and ignores the order.
    public static func == (left: SDMResponseHeaders, right: SDMResponseHeaders) -> Bool {
        left.valuesByName == right.valuesByName
    }

    /// Hashes names in lower case.
    public func hash(into hasher: inout Hasher) { hasher.combine(valuesByName) }
}

extension SDMResponseHeaders: RandomAccessCollection {
    /// Position of the first field.
    public var startIndex: Int { 0 }
    /// Position after the last field.
    public var endIndex: Int { names.count }

    /// The name and the value at a position.
    public subscript(position: Int) -> (key: String, value: String) {
        (names[position], valuesByName[names[position].lowercased()] ?? "")
    }
}

extension SDMResponseHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers of a literal such as `["Content-Type": "text/plain"]`.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(value, to: name) }
    }
}

extension SDMResponseHeaders: RedactedStringConvertible {
    /// The names; values may be secrets.
    public var description: String { "headers \(names.joined(separator: ", "))" }
}

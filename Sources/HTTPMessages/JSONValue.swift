/// Any JSON value (RFC 8259). Integers stay distinct from other numbers, so that they round-trip.
///
/// ```swift
/// let value: JSONValue = ["id": 7, "tags": ["a", "b"]]
/// value["tags"]?[0]?.string  // "a"
/// ```
public enum JSONValue: Hashable, Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number without fraction and exponent that fits in 64 bits.
    case integer(Int64)
    /// Any other number; parsing rejects one outside the range of `Double`.
    case number(Double)
    /// A string.
    case string(String)
    /// An array. Arrays and objects may be nested up to 100 levels deep.
    case array([JSONValue])
    /// An object. Of duplicate members, parsing keeps the last.
    case object([String: JSONValue])
}

extension JSONValue {
    /// The string; nil for other kinds.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The Boolean; nil for other kinds.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The integer; nil for other kinds.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The integer or number as a `Double`; nil for other kinds.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
    /// The array; nil for other kinds.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members of an object; nil for other kinds.
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
    /// True for `null`.
    public var isNull: Bool { self == .null }

    /// The member of an object; nil if there is none or this is not an object.
    public subscript(name: String) -> JSONValue? { object?[name] }
    /// The element of an array; nil if out of range or this is not an array.
    public subscript(index: Int) -> JSONValue? {
        // A bare `nil` would be inferred as `JSONValue.null`.
        guard let array, array.indices.contains(index) else { return Optional.none }
        return array[index]
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `null`
    public init(nilLiteral: ()) { self = .null }
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of duplicate members, the last is kept.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue: Codable {
    /// Decodes any value.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= JSONParser.maximumDepth else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: [], debugDescription: "JSON nested more than \(JSONParser.maximumDepth) levels deep."
                ))
        }
        if let container = try? decoder.container(keyedBy: AnyKey.self) {
            var members: [String: JSONValue] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
            }
            self = .object(members)
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        guard encoder.codingPath.count <= JSONParser.maximumDepth else {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: [], debugDescription: "JSON nested more than \(JSONParser.maximumDepth) levels deep."
                ))
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON. Numbers that JSON cannot represent, and values nested too deep, are written as `null`, where
    /// ``data()`` throws.
    public var description: String {
        var writer = JSONWriter(invalidValues: .null)
        try? writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

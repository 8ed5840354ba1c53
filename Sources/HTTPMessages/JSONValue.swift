/// Any JSON value (RFC 8259). Whole numbers and fractions are kept apart, so that what was read is what is written.
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
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number; one outside the range of a `Double` cannot be read.
    case number(Double)
    /// A text.
    case string(String)
    /// A list. Lists and objects can be read and written up to 100 levels deep.
    case array([JSONValue])
    /// Members by name. When text names a member twice, the last one counts.
    case object([String: JSONValue])
}

extension JSONValue {
    /// The text, or nil.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The truth value, or nil.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The whole number, or nil.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The number, whole or not, or nil.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
    /// The list, or nil.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members, or nil.
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
    /// True for `null`.
    public var isNull: Bool { self == .null }

    /// A member, or nil when there is none or this is not an object.
    public subscript(name: String) -> JSONValue? { object?[name] }
    /// An element, or nil when there is none or this is not an array.
    public subscript(index: Int) -> JSONValue? {
        // A bare `nil` beside a value would be `null`, which a JSONValue can be.
        guard let array, array.indices.contains(index) else { return Optional.none }
        return array[index]
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `null`
    public init(nilLiteral: ()) { self = .null }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A fraction.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Members; the last of several of one name counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue: Codable {
    /// Reads any value.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= JSONParser.maximumDepth else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: [], debugDescription: "JSON is nested more than \(JSONParser.maximumDepth) levels deep."
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

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        guard encoder.codingPath.count <= JSONParser.maximumDepth else {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: [], debugDescription: "JSON is nested more than \(JSONParser.maximumDepth) levels deep."
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
    /// The value as JSON; a number that JSON cannot hold, or a value nested too deep, is written as `null` here, while
    /// ``data()`` refuses it.
    public var description: String {
        var writer = JSONWriter(unwritable: .null)
        try? writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

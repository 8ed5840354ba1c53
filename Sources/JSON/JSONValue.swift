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
    /// Creates a string, such as in the literal `["title": JSONValue(title), "count": JSONValue(count)]`.
    public init(_ value: some StringProtocol) { self = .string(String(value)) }
    /// Creates an integer, or a number if the value does not fit in 64 bits.
    public init(_ value: some BinaryInteger) {
        self = Int64(exactly: value).map(Self.integer) ?? .number(Double(value))
    }
    /// Creates a number; infinity and NaN are no JSON.
    public init(_ value: Double) { self = .number(value) }
    /// Creates a Boolean.
    public init(_ value: Bool) { self = .bool(value) }
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

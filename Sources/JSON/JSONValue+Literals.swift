// Disfavored, since `texts.map(JSONValue.init)` and the like mean the initializers without a label.

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `null`
    public init(nilLiteral: ()) { self = .null }
    /// A Boolean.
    @_disfavoredOverload
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer.
    @_disfavoredOverload
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    @_disfavoredOverload
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A string.
    @_disfavoredOverload
    public init(stringLiteral value: String) { self = .string(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of duplicate members, the last is kept.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

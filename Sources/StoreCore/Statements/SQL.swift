/// SQL text with its parameters.
///
/// An interpolated value becomes a parameter and is never part of the text.
///
/// ```swift
/// try store.execute("UPDATE note SET title = \(title) WHERE id = \(id)")   // UPDATE note SET title = ? WHERE id = ?
/// try store.query("SELECT * FROM \(table) WHERE id IN \(ids)") { ... }    // table: SQLIdentifier, ids: [Int]
/// ```
///
/// These can be interpolated, and nothing else:
///
/// - a ``StoreValueConvertible``, or nil of such a type: `?` and a parameter
/// - an array of them: `(?, ?, ?)`, for `IN`; an empty one is `()`, which contains nothing
/// - an ``SQLIdentifier``: the name in double quotes
/// - another ``SQL``: its text and its parameters
///
/// A value within quotes would be text: `LIKE '%\(word)%'` throws `invalidArgument`. Write
/// `LIKE '%' || \(word) || '%'`.
///
/// Text that is made at run time needs `init(verbatim:_:)`. The description shows the text only.
public struct SQL: Hashable, Sendable {
    /// The text, with `?` for each interpolated value.
    public private(set) var text: String
    /// One value for each parameter.
    public private(set) var parameters: [StoreValue]

    /// Text that is used as it is, with positional parameters.
    ///
    /// Never put a value into it: a text from outside could then change the statement.
    /// - Parameter parameters: one value for each parameter; their number is checked when the statement runs.
    public init(verbatim text: String, _ parameters: [StoreValue] = []) {
        self.text = text
        self.parameters = parameters
    }

    /// Text that is used as it is, with positional parameters; nil is null.
    @_disfavoredOverload
    public init(verbatim text: String, _ parameters: [(any StoreValueConvertible)?]) {
        self.init(verbatim: text, parameters.map(\.storeValue))
    }

    /// Text that is used as it is, with named parameters: `:id`, `@id` or `$id`.
    ///
    /// - Parameter parameters: the values by name, without the prefix; nil is null.
    /// - Throws: ``StoreError``: `invalidArgument` when the text has a parameter that is not named here, when one is
    ///   named here that the text does not have, or when the text has a parameter without a name.
    public init(verbatim text: String, named parameters: [String: (any StoreValueConvertible)?]) throws(StoreError) {
        self.init(verbatim: text, try ParameterNames(of: text).values(parameters))
    }
}

extension SQL: ExpressibleByStringInterpolation {
    /// Text without parameters.
    public init(stringLiteral text: String) { self.init(verbatim: text) }
    /// Text with the interpolated values as parameters.
    public init(stringInterpolation interpolation: StringInterpolation) { self = interpolation.sql }

    /// The parts of an interpolated literal.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var sql = SQL(verbatim: "")

        /// Reserves memory for the literal.
        public init(literalCapacity: Int, interpolationCount: Int) {
            sql.text.reserveCapacity(literalCapacity + interpolationCount)
            sql.parameters.reserveCapacity(interpolationCount)
        }

        /// Appends text as it is.
        public mutating func appendLiteral(_ literal: String) { sql.text += literal }

        /// Appends `?` and a parameter.
        public mutating func appendInterpolation(_ value: some StoreValueConvertible) {
            sql.text += "?"
            sql.parameters.append(value.storeValue)
        }

        /// Appends `?` and a parameter; nil is null.
        public mutating func appendInterpolation(_ value: (some StoreValueConvertible)?) {
            // Without this overload the compiler warns about each interpolated optional.
            sql.text += "?"
            sql.parameters.append(value?.storeValue ?? .null)
        }

        /// Appends `(?, ?, ?)` and the parameters; `()` for an empty array.
        public mutating func appendInterpolation(_ values: [some StoreValueConvertible]) {
            sql.text += "(" + values.map { _ in "?" }.joined(separator: ", ") + ")"
            sql.parameters += values.map(\.storeValue)
        }

        /// Appends a name in double quotes.
        public mutating func appendInterpolation(_ name: SQLIdentifier) { sql.text += name.quoted }

        /// Appends a part of a statement with its parameters.
        public mutating func appendInterpolation(_ part: SQL) {
            sql.text += part.text
            sql.parameters += part.parameters
        }
    }
}

extension SQL: CustomStringConvertible, CustomReflectable {
    /// The text, without the values.
    public var description: String { text }
    /// Shows the text and the number of parameters.
    public var customMirror: Mirror {
        Mirror(self, children: ["text": text as Any, "parameterCount": parameters.count as Any])
    }
}

extension (any StoreValueConvertible)? {
    /// The value, or null.
    var storeValue: StoreValue { self?.storeValue ?? .null }
}

/// The header fields of a message, in the order in which they were added (RFC 9110, section 5).
///
/// A name may occur more than once. Every name and value was checked when it was added, so what is in here can be sent.
///
/// ```swift
/// var fields = HTTPFields()
/// try fields.set("Accept", to: "application/json")
/// try fields.append("X-Trace", "7f3a")
/// fields["accept"]  // "application/json"
/// ```
public struct HTTPFields: Hashable, Sendable {
    /// One header line.
    public struct Field: Hashable, Sendable {
        /// The name.
        public let name: HTTPFieldName
        /// The value, without blanks around it.
        public let value: String

        /// A checked line; blanks around the value are dropped.
        /// - Throws: `HTTPMessageError` (`invalidFieldValue`) when the value holds a control character.
        public init(_ name: HTTPFieldName, _ value: String) throws(HTTPMessageError) {
            guard value.isHTTPFieldValue else {
                throw HTTPMessageError(
                    .invalidFieldValue,
                    "Invalid value of the header \(name): it contains a line break, NUL or another control character.")
            }
            self.name = name
            self.value = value.trimmingHTTPBlanks
        }
    }

    private var fields: [Field] = []

    /// No fields.
    public init() {}

    /// The fields of a literal such as `["Accept": "text/plain"]`, in its order.
    /// - Throws: `HTTPMessageError` when a name or a value cannot be sent.
    public init(_ pairs: KeyValuePairs<String, String>) throws(HTTPMessageError) {
        for (name, value) in pairs { try append(name, value) }
    }

    /// The fields of name and value pairs, in their order.
    /// - Throws: `HTTPMessageError` when a name or a value cannot be sent.
    public init(_ pairs: some Sequence<(String, String)>) throws(HTTPMessageError) {
        for (name, value) in pairs { try append(name, value) }
    }

    /// The value of a name, or nil. Several values of one name are joined by `", "` (RFC 9110, section 5.3); ask
    /// ``values(of:)`` for `Set-Cookie`, whose values may not be joined.
    public subscript(name: HTTPFieldName) -> String? {
        var found: String?
        for field in fields where field.name == name {
            found = found.map { "\($0), \(field.value)" } ?? field.value
        }
        return found
    }

    /// The value of a name, or nil; also nil when the text cannot be a name.
    public subscript(name: String) -> String? {
        (try? HTTPFieldName(name)).flatMap { self[$0] }
    }

    /// Every value of a name, in order.
    public func values(of name: HTTPFieldName) -> [String] {
        fields.lazy.filter { $0.name == name }.map(\.value)
    }

    /// True when the name occurs.
    public func contains(_ name: HTTPFieldName) -> Bool { fields.contains { $0.name == name } }

    /// Adds a line and keeps those of the same name.
    /// - Throws: `HTTPMessageError` when the value cannot be sent.
    public mutating func append(_ name: HTTPFieldName, _ value: String) throws(HTTPMessageError) {
        fields.append(try Field(name, value))
    }

    /// Adds a line and keeps those of the same name.
    /// - Throws: `HTTPMessageError` when the name or the value cannot be sent.
    public mutating func append(_ name: String, _ value: String) throws(HTTPMessageError) {
        try append(HTTPFieldName(name), value)
    }

    /// Makes `value` the only value of a name, at the place of its first line if there is one.
    /// - Throws: `HTTPMessageError` when the value cannot be sent; then nothing changes.
    public mutating func set(_ name: HTTPFieldName, to value: String) throws(HTTPMessageError) {
        let field = try Field(name, value)
        guard let first = fields.firstIndex(where: { $0.name == name }) else { return fields.append(field) }
        fields[first] = field
        fields[(first + 1)...].removeAll { $0.name == name }
    }

    /// Makes `value` the only value of a name.
    /// - Throws: `HTTPMessageError` when the name or the value cannot be sent; then nothing changes.
    public mutating func set(_ name: String, to value: String) throws(HTTPMessageError) {
        try set(HTTPFieldName(name), to: value)
    }

    /// Removes every line of a name.
    public mutating func remove(_ name: HTTPFieldName) { fields.removeAll { $0.name == name } }

    /// These fields, in which every name that `other` has is replaced by the lines of `other`.
    public func replacing(with other: HTTPFields) -> HTTPFields {
        if other.isEmpty { return self }
        if isEmpty { return other }
        var merged = self
        merged.fields.removeAll { other.contains($0.name) }
        merged.fields.append(contentsOf: other.fields)
        return merged
    }
}

extension HTTPFields: RandomAccessCollection {
    /// The first line's place.
    public var startIndex: Int { fields.startIndex }
    /// The place after the last line.
    public var endIndex: Int { fields.endIndex }
    /// The line at a place.
    public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPFields: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The lines, one each; the values of secret fields are left out (``Redaction/standard``).
    public var description: String {
        fields.map { "\($0.name): \(Redaction.standard.value($0.value, of: $0.name))" }.joined(separator: "\n")
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows what ``description`` shows, so that `dump` gives no secret away either.
    public var customMirror: Mirror { Mirror(self, children: ["fields": description]) }
}

extension HTTPFields.Field: CustomStringConvertible, CustomReflectable {
    /// The line; the value of a secret field is left out.
    public var description: String { "\(name): \(Redaction.standard.value(value, of: name))" }
    /// Shows what ``description`` shows.
    public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}

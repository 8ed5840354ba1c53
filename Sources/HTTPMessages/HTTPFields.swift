public import PatchbayErrors

/// Ordered multimap of header fields (RFC 9110, section 5).
///
/// A name may occur more than once. Names and values are validated when they are added.
///
/// ```swift
/// var fields = HTTPFields()
/// try fields.set("Accept", to: "application/json")
/// try fields.append("X-Trace", "7f3a")
/// fields["accept"]  // "application/json"
/// let literal: HTTPFields = ["Accept": "text/plain", "X-Trace": "7f3a"]
/// ```
public struct HTTPFields: Hashable, Sendable {
    /// One field line.
    public struct Field: Hashable, Sendable {
        /// The name.
        public let name: HTTPFieldName
        /// The value, without leading and trailing whitespace.
        public let value: String

        /// Creates a field; trims whitespace around the value.
        /// - Throws: `HTTPMessageError` (`invalidFieldValue`) if the value contains a control character.
        public init(_ name: HTTPFieldName, _ value: String) throws(HTTPMessageError) {
            guard value.isHTTPFieldValue else {
                throw HTTPMessageError(
                    .invalidFieldValue,
                    "Invalid value of header field \(name): contains CR, LF, NUL or another control character; remove it."
                )
            }
            self.name = name
            self.value = value.trimmingHTTPWhitespace
        }
    }

    private var fields: [Field] = []
    /// The first entry of a literal, or assignment by a subscript, that was invalid.
    private var rejected: Rejected?

    /// No fields.
    public init() {}

    /// Creates fields from a literal such as `["Accept": "text/plain"]`, in its order.
    /// - Throws: `HTTPMessageError` (`invalidFieldName`, `invalidFieldValue`).
    public init(_ pairs: KeyValuePairs<String, String>) throws(HTTPMessageError) {
        for (name, value) in pairs { try append(name, value) }
    }

    /// Creates fields from name and value pairs, in their order.
    /// - Throws: `HTTPMessageError` (`invalidFieldName`, `invalidFieldValue`).
    public init(_ pairs: some Sequence<(String, String)>) throws(HTTPMessageError) {
        for (name, value) in pairs { try append(name, value) }
    }

    /// Reserves memory for a number of fields in all.
    public mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

    /// The combined value of a name, or nil. Several values are joined by `", "` (RFC 9110, section 5.3), those of
    /// `Cookie` by `"; "` (RFC 9113, section 8.2.3); use ``values(of:)`` for `Set-Cookie`, whose values must not be
    /// joined.
    ///
    /// Assigning replaces all values of the name; nil removes them. An invalid value is not stored: ``validate()``
    /// throws its error, as does the request that would be sent with these fields.
    public subscript(name: HTTPFieldName) -> String? {
        get {
            var found: String?
            // By index: a copy of each field costs more than the comparison.
            for index in fields.indices where fields[index].name == name {
                found = found.map { $0 + (name == .cookie ? "; " : ", ") + fields[index].value } ?? fields[index].value
            }
            return found
        }
        set {
            guard let newValue else { return remove(name) }
            do { try set(name, to: newValue) } catch { rejected = rejected ?? Rejected(error) }
        }
    }

    /// The combined value of a name, or nil; also nil if the string is not a valid name.
    ///
    /// Assigning is that by an ``HTTPFieldName``; an invalid name is an error as an invalid value is.
    public subscript(name: String) -> String? {
        get { (try? HTTPFieldName(name)).flatMap { self[$0] } }
        set {
            do { self[try HTTPFieldName(name)] = newValue } catch { rejected = rejected ?? Rejected(error) }
        }
    }

    /// True if there is no field, and no entry or assignment was invalid.
    package var isUnset: Bool { fields.isEmpty && rejected == nil }

    /// Checks that each entry of a literal, and each assignment by a subscript, was valid.
    /// - Throws: `HTTPMessageError` (`invalidFieldName`, `invalidFieldValue`) of the first one that was not.
    public func validate() throws(HTTPMessageError) { if let rejected { throw rejected.error } }

    /// All values of a name, in order.
    public func values(of name: HTTPFieldName) -> [String] {
        fields.lazy.filter { $0.name == name }.map(\.value)
    }

    /// True if at least one field has the name.
    public func contains(_ name: HTTPFieldName) -> Bool { fields.contains { $0.name == name } }

    /// True if at least one field has one of some names.
    package func contains(anyOf names: [HTTPFieldName]) -> Bool {
        for index in fields.indices where names.contains(where: { $0 == fields[index].name }) { return true }
        return false
    }

    /// Appends a field and keeps existing ones of the same name.
    /// - Throws: `HTTPMessageError` (`invalidFieldValue`).
    public mutating func append(_ name: HTTPFieldName, _ value: String) throws(HTTPMessageError) {
        fields.append(try Field(name, value))
    }

    /// Appends a field and keeps existing ones of the same name.
    /// - Throws: `HTTPMessageError` (`invalidFieldName`, `invalidFieldValue`).
    public mutating func append(_ name: String, _ value: String) throws(HTTPMessageError) {
        try append(HTTPFieldName(name), value)
    }

    /// Appends a field, which is valid as such.
    package mutating func append(_ field: Field) { fields.append(field) }

    /// Replaces all values of a name by one, at the position of the first if there is one.
    /// - Throws: `HTTPMessageError` (`invalidFieldValue`); the fields are unchanged then.
    public mutating func set(_ name: HTTPFieldName, to value: String) throws(HTTPMessageError) {
        let field = try Field(name, value)
        guard let first = fields.firstIndex(where: { $0.name == name }) else { return fields.append(field) }
        fields[first] = field
        fields[(first + 1)...].removeAll { $0.name == name }
    }

    /// Replaces all values of a name by one, at the position of the first if there is one.
    /// - Throws: `HTTPMessageError` (`invalidFieldName`, `invalidFieldValue`); the fields are unchanged then.
    public mutating func set(_ name: String, to value: String) throws(HTTPMessageError) {
        try set(HTTPFieldName(name), to: value)
    }

    /// Combines the lines of each name into one, which is what engines send of a request.
    package mutating func combineLines() {
        var names: Set<HTTPFieldName> = []
        for field in fields {
            let (isFirst, first) = names.insert(field.name)
            guard !isFirst else { continue }
            let combined = self[first]
            self[first] = combined
        }
    }

    /// Removes all fields of a name.
    public mutating func remove(_ name: HTTPFieldName) { fields.removeAll { $0.name == name } }

    /// Returns these fields merged with `other`, whose fields replace those of the same names.
    public func merging(_ other: HTTPFields) -> HTTPFields {
        if other.isUnset { return self }
        if isUnset { return other }
        var merged = HTTPFields()
        merged.rejected = rejected ?? other.rejected
        // One allocation: layers merge fields into each request.
        merged.fields.reserveCapacity(fields.count + other.fields.count)
        // Almost always a few, of which a search is faster than a set.
        let names = other.fields.count > 16 ? Set(other.fields.map(\.name)) : nil
        for field in fields where !(names?.contains(field.name) ?? other.contains(field.name)) {
            merged.fields.append(field)
        }
        merged.fields.append(contentsOf: other.fields)
        return merged
    }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    /// Creates fields from a literal such as `["Accept": "text/plain"]`, in its order; a name may occur more than once.
    ///
    /// An invalid entry is not stored: ``validate()`` throws its error, as does the request that would be sent with
    /// these fields. `try HTTPFields([...])` throws at once.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements {
            do { try append(name, value) } catch { rejected = rejected ?? Rejected(error) }
        }
    }
}

/// The error of an invalid entry or assignment, in one word of memory.
private final class Rejected: Hashable, Sendable {
    let error: HTTPMessageError
    init(_ error: HTTPMessageError) { self.error = error }
    static func == (left: Rejected, right: Rejected) -> Bool { left.error == right.error }
    func hash(into hasher: inout Hasher) { hasher.combine(error) }
}

extension HTTPFields: RandomAccessCollection {
    /// Position of the first field.
    public var startIndex: Int { fields.startIndex }
    /// Position after the last field.
    public var endIndex: Int { fields.endIndex }
    /// The field at a position.
    public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPFields: RedactedStringConvertible, CustomDebugStringConvertible {
    /// One field per line; values of secret fields are redacted (``Redaction/standard``).
    public var description: String {
        fields.map { "\($0.name): \(Redaction.standard.redacted($0.value, of: $0.name))" }.joined(separator: "\n")
    }
    /// Same as ``description``.
    public var debugDescription: String { description }
}

extension HTTPFields.Field: RedactedStringConvertible {
    /// The field line; the value of a secret field is redacted.
    public var description: String { "\(name): \(Redaction.standard.redacted(value, of: name))" }
}

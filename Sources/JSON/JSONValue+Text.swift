public import Foundation

extension JSONValue {
    /// Parses JSON in UTF-8, strictly (RFC 8259): no comments, no trailing commas, one value.
    /// - Throws: ``JSONError`` (`invalidSyntax`) with the byte offset of the first error.
    public init(parsing data: Data) throws(JSONError) { try self.init(parsing: data, keepingLongNumbers: false) }

    /// Parses JSON as ``init(parsing:)-(Data)``.
    /// - Parameter keepsLongNumbers: true to read a number with digits that a `Double` does not hold as a string.
    package init(parsing data: Data, keepingLongNumbers keepsLongNumbers: Bool) throws(JSONError) {
        // `JSONDecoder` does not distinguish `1` from `1.0`, and is five times slower for a small document.
        do throws(JSONScanner.Stop) {
            self = try JSONScanner.scan(data) { (scanner) throws(JSONScanner.Stop) in
                scanner.keepsLongNumbers = keepsLongNumbers
                return try scanner.document()
            }
        } catch {
            throw JSONError(error, isAtEnd: error.offset == data.count)
        }
    }

    /// Parses a JSON string, strictly (RFC 8259).
    /// - Throws: ``JSONError`` (`invalidSyntax`) with the offset of the first error in UTF-8 bytes.
    @_disfavoredOverload  // `texts.map(JSONValue.init)` creates strings.
    public init(parsing text: String) throws(JSONError) { try self.init(parsing: Data(text.utf8)) }

    /// Encodes the value as compact JSON in UTF-8, with members sorted by name.
    /// - Throws: ``JSONError`` (`invalidValue`) for infinity, NaN, and nesting beyond 100 levels; `outOfMemory`.
    public func data() throws(JSONError) -> Data { try JSONWriter.data(of: self, invalidValues: .fail) }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON. Numbers that JSON cannot represent, and values nested too deep, are written as `null`, where
    /// ``data()`` throws.
    public var description: String {
        guard let data = try? JSONWriter.data(of: self, invalidValues: .null) else { return "null" }
        return String(decoding: data, as: UTF8.self)
    }
}

extension JSONError {
    fileprivate init(_ stop: JSONScanner.Stop, isAtEnd: Bool) {
        let found = isAtEnd ? "unexpected end, " : ""
        self.init(.invalidSyntax, "Invalid JSON at byte \(stop.offset): \(found)expected \(stop.expected.text).")
    }
}

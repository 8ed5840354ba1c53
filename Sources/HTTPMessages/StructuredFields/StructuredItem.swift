/// A value with parameters.
public struct StructuredItem: Hashable, Sendable {
    /// The value.
    public var value: StructuredValue
    /// The parameters.
    public var parameters: StructuredParameters

    /// Creates an item.
    public init(_ value: StructuredValue, parameters: StructuredParameters = [:]) {
        self.value = value
        self.parameters = parameters
    }

    /// Parses a field whose value is an item.
    /// - Throws: `HTTPMessageError` (`invalidStructuredField`).
    public init(parsing text: String) throws(HTTPMessageError) {
        var parser = StructuredParser(text)
        self = try parser.item()
        try parser.finish()
    }

    /// The field value.
    /// - Throws: `HTTPMessageError` (`invalidStructuredField`) for a value that cannot be written, such as a string
    ///   that is not ASCII.
    public func text() throws(HTTPMessageError) -> String {
        var writer = StructuredWriter()
        try writer.write(self)
        return writer.text
    }
}

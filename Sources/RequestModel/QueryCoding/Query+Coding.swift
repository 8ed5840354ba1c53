public import HTTPMessages
import PatchbayErrors

extension Query {
    /// Creates a query from the properties of a value, in the order in which its type encodes them.
    ///
    /// A dictionary is written in the order of its keys.
    /// - Throws: `HTTPMessageError` (`invalidQueryValue`) that names the parameter: for infinity and NaN, nesting
    ///   beyond 100 levels, values that the style cannot write, and values without named properties.
    public init(encoding value: some Encodable, style: QueryStyle = .standard) throws(HTTPMessageError) {
        let writer = QueryWriter(style)
        do { try writer.write(value, at: .root, path: []) } catch { throw QueryFault.error(error, encoding: value) }
        self = writer.query
    }

    /// Appends a value of any type under a name: a number or a string as one parameter, an array or an object as the
    /// style writes them.
    /// - Throws: as ``init(encoding:style:)``.
    public mutating func append(
        _ name: String, encoding value: some Encodable, style: QueryStyle = .standard
    ) throws(HTTPMessageError) {
        let writer = QueryWriter(style)
        do {
            try writer.write(value, at: .parameter(name), path: [])
        } catch { throw QueryFault.error(error, encoding: value) }
        self = appending(writer.query)
    }

    /// Creates a value from the parameters, the inverse of ``init(encoding:style:)``.
    ///
    /// An array or an object without parameters is empty, or nil where the property is optional. Arrays and objects are
    /// read in any style that has a parameter for each value, and in the one of `style`. Parameters that the type does
    /// not have are ignored.
    /// - Throws: `HTTPMessageError` (`invalidQueryValue`) that names the parameter: missing, more than once for one
    ///   value, not a text of the type, a name without a value, or nested in more than 100 levels.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, style: QueryStyle = .standard
    ) throws(HTTPMessageError) -> Value {
        let tree = try QueryTree(self, style)
        do {
            return try QueryValueDecoder(tree: tree, style: style, name: nil, codingPath: []).decode(type)
        } catch { throw QueryFault.error(error, decoding: type) }
    }
}

extension Form {
    /// Creates a form from the properties of a value, as `Query(encoding:style:)`.
    /// - Throws: `HTTPMessageError` (`invalidQueryValue`).
    public init(encoding value: some Encodable, style: QueryStyle = .standard) throws(HTTPMessageError) {
        self.init(try Query(encoding: value, style: style))
    }
}

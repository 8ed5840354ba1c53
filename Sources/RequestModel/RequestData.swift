public import HTTPMessages

/// Header fields, query parameters, body and options of a call; each part is optional.
///
/// An agent has default data for all its calls, and each call may have its own; a ``MergeRule`` merges the two.
public struct RequestData: Sendable {
    /// The header fields.
    public var fields: HTTPFields
    /// The query parameters.
    public var query: Query
    /// The body; ``RequestBody/empty`` means unset.
    public var body: RequestBody
    /// The request options; nil means unset.
    public var options: RequestOptions?

    /// Creates data; omitted parts are unset.
    public init(
        fields: HTTPFields = HTTPFields(), query: Query = Query(), body: RequestBody = .empty,
        options: RequestOptions? = nil
    ) {
        self.fields = fields
        self.query = query
        self.body = body
        self.options = options
    }

    /// Data without any part, the identity of merging.
    public static let empty = RequestData()

    /// True if all parts are unset.
    public var isEmpty: Bool { fields.isUnset && query.isEmpty && body.isEmpty && options == nil }

    /// Creates a request from this data.
    /// - Parameter url: the target; the query parameters are appended to its query.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`, `bodyNotAllowed`,
    ///   `invalidFieldName`, `invalidFieldValue`).
    public func request(_ method: HTTPMethod, _ url: RequestURL) throws(HTTPMessageError) -> HTTPRequest {
        try fields.validate()
        let url = url.adding(query)
        let fields = try body.addingContentFields(to: fields)
        let options = options ?? RequestOptions()
        guard let origin = url.normalizedOrigin else {
            return try HTTPRequest(method, url.text, fields: fields, body: body.content, options: options)
        }
        return try HTTPRequest(
            method, normalized: url.text, origin, fields: fields, body: body.content, options: options)
    }
}

extension RequestData: CustomStringConvertible, CustomReflectable {
    /// The parts that are set, with secrets redacted.
    public var description: String {
        let parts = [
            query.isEmpty ? nil : "?\(query)", fields.isEmpty ? nil : fields.description,
            body.isEmpty ? nil : body.description,
        ]
        return parts.compactMap(\.self).joined(separator: "\n")
    }
    /// The parts, with secrets redacted.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["fields": fields, "query": query, "body": body, "options": options as Any],
            displayStyle: .struct)
    }
}

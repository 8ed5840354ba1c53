public import HTTPMessages

/// What goes with a call: header fields, query parameters, a body and options. Each part may be left unsaid.
///
/// An agent has such data for all its calls and each call may bring its own; a ``MergeRule`` makes one of both.
public struct RequestData: Sendable {
    /// The header fields.
    public var fields: HTTPFields
    /// The query parameters.
    public var query: Query
    /// The body; ``RequestBody/empty`` says nothing.
    public var body: RequestBody
    /// How the call is carried out; nil says nothing.
    public var options: RequestOptions?

    /// Data; what is left out says nothing.
    public init(
        fields: HTTPFields = HTTPFields(), query: Query = Query(), body: RequestBody = .empty,
        options: RequestOptions? = nil
    ) {
        self.fields = fields
        self.query = query
        self.body = body
        self.options = options
    }

    /// Data that says nothing: merged with other data, it changes nothing.
    public static let empty = RequestData()

    /// True when no part says anything.
    public var isEmpty: Bool { fields.isEmpty && query.isEmpty && body.isEmpty && options == nil }

    /// The request of this data.
    /// - Parameter url: where it goes; the query parameters are added to its own.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`, `bodyNotAllowed`).
    public func request(_ method: HTTPMethod, _ url: RequestURL) throws(HTTPMessageError) -> HTTPRequest {
        try HTTPRequest(
            method, url.adding(query).text, fields: body.describe(in: fields), body: body.content,
            options: options ?? RequestOptions())
    }
}

extension RequestData: CustomStringConvertible, CustomReflectable {
    /// The parts that say something, without secrets.
    public var description: String {
        let parts = [
            query.isEmpty ? nil : "?\(query)", fields.isEmpty ? nil : fields.description,
            body.isEmpty ? nil : body.description,
        ]
        return parts.compactMap(\.self).joined(separator: "\n")
    }
    /// Shows the parts, without secrets.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["fields": fields, "query": query, "body": body, "options": options as Any],
            displayStyle: .struct)
    }
}

public import HTTPMessages
public import RequestModel

/// A call of an API as a plain value: method, path, parameters and body, and the type of the response.
///
/// An API is a list of static functions:
///
/// ```swift
/// extension EndpointRequest where Value == [Issue] {
///     static func issues(of repository: String) -> Self { .get("repos/\(repository)/issues", query: ["page": 1]) }
/// }
/// let issues = try await client.send(.issues(of: "swift"))
/// ```
///
/// What is left out comes from the client: fields, query, options, coders, the base URL.
public struct EndpointRequest<Value>: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The path below the base URL.
    public var path: RequestPath
    /// The query parameters; they replace those of the client with the same names.
    public var query: Query
    /// The header fields; they replace those of the client with the same names.
    public var fields: HTTPFields
    /// The body.
    public var body: EndpointBody
    /// The timeout for the whole call; nil means the client's.
    public var timeout: Duration?

    /// Creates a call.
    /// - Parameter fields: invalid names and values are reported when the call is made.
    public init(
        _ method: HTTPMethod, _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
        self.timeout = timeout
    }

    /// Creates a call with a value as its body, which the client encodes as JSON; `null` for a nil.
    /// - Parameter fields: invalid names and values are reported when the call is made.
    public init(
        _ method: HTTPMethod, _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        json: some Encodable & Sendable, timeout: Duration? = nil
    ) {
        self.init(method, path, query: query, fields: fields, body: .json(json), timeout: timeout)
    }

    /// The same call with a response of another type.
    public func decoding<Other>(as type: Other.Type) -> EndpointRequest<Other> {
        EndpointRequest<Other>(method, path, query: query, fields: fields, body: body, timeout: timeout)
    }
}

extension EndpointRequest {
    /// A `GET`; the parameters are those of ``init(_:_:query:fields:body:timeout:)``.
    public static func get(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], timeout: Duration? = nil
    ) -> Self {
        Self(.get, path, query: query, fields: fields, timeout: timeout)
    }

    /// A `POST`; the parameters are those of ``init(_:_:query:fields:body:timeout:)``.
    public static func post(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil
    ) -> Self {
        Self(.post, path, query: query, fields: fields, body: body, timeout: timeout)
    }

    /// A `PUT`; the parameters are those of ``init(_:_:query:fields:body:timeout:)``.
    public static func put(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil
    ) -> Self {
        Self(.put, path, query: query, fields: fields, body: body, timeout: timeout)
    }

    /// A `PATCH`; the parameters are those of ``init(_:_:query:fields:body:timeout:)``.
    public static func patch(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil
    ) -> Self {
        Self(.patch, path, query: query, fields: fields, body: body, timeout: timeout)
    }

    /// A `DELETE`; the parameters are those of ``init(_:_:query:fields:body:timeout:)``.
    public static func delete(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil
    ) -> Self {
        Self(.delete, path, query: query, fields: fields, body: body, timeout: timeout)
    }
}

extension EndpointRequest {
    /// A `POST` with a value as JSON; the parameters are those of ``init(_:_:query:fields:json:timeout:)``.
    public static func post(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        json: some Encodable & Sendable, timeout: Duration? = nil
    ) -> Self {
        Self(.post, path, query: query, fields: fields, json: json, timeout: timeout)
    }

    /// A `PUT` with a value as JSON; the parameters are those of ``init(_:_:query:fields:json:timeout:)``.
    public static func put(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        json: some Encodable & Sendable, timeout: Duration? = nil
    ) -> Self {
        Self(.put, path, query: query, fields: fields, json: json, timeout: timeout)
    }

    /// A `PATCH` with a value as JSON; the parameters are those of ``init(_:_:query:fields:json:timeout:)``.
    public static func patch(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        json: some Encodable & Sendable, timeout: Duration? = nil
    ) -> Self {
        Self(.patch, path, query: query, fields: fields, json: json, timeout: timeout)
    }

    /// A `DELETE` with a value as JSON; the parameters are those of ``init(_:_:query:fields:json:timeout:)``.
    public static func delete(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        json: some Encodable & Sendable, timeout: Duration? = nil
    ) -> Self {
        Self(.delete, path, query: query, fields: fields, json: json, timeout: timeout)
    }
}

extension EndpointRequest: CustomStringConvertible, CustomReflectable {
    /// Method and path without interpolated values, a name for logs and metrics: `GET repos/{}/issues`.
    public var description: String { "\(method) \(path.template)" }
    /// The parts, with secrets redacted.
    public var customMirror: Mirror {
        Mirror(self, children: ["call": description, "query": query, "fields": fields, "body": body])
    }
}

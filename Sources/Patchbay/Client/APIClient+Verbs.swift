public import HTTPMessages
public import RequestModel
public import Transport

// Each verb exists three times: with the decoded value, with value and head, and with the bytes. The type of the result
// chooses one; without one it is the bytes. All of them take parameters, fields, a timeout and, but for `HEAD`, a closure for progress.

// MARK: GET

extension APIClient {
    /// Sends a `GET` and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions.
    /// - Throws: as ``send(_:observer:)``.
    public func get<Value: Decodable & Sendable>(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(.get, path, query: query, fields: fields, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `GET` and decodes the response; the value comes with the head.
    public func get<Value: Decodable & Sendable>(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        try await response(
            to: EndpointRequest(.get, path, query: query, fields: fields, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `GET`; the response has the bytes of the body.
    @discardableResult
    public func get(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(.get, path, query: query, fields: fields, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }
}

// MARK: POST

extension APIClient {
    /// Sends a `POST` and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - json: a value that is encoded as the body.
    ///   - body: any other body, such as `.form(["a": "1"])`, `.multipart(...)` or `.file(at: url)`.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions.
    /// - Throws: as ``send(_:observer:)``.
    public func post<Value: Decodable & Sendable>(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(.post, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `POST` and decodes the response; the value comes with the head.
    public func post<Value: Decodable & Sendable>(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        try await response(
            to: EndpointRequest(
                .post, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `POST`; the response has the bytes of the body.
    @discardableResult
    public func post(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(.post, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }
}

// MARK: PUT

extension APIClient {
    /// Sends a `PUT` and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - json: a value that is encoded as the body.
    ///   - body: any other body, such as `.form(["a": "1"])`, `.multipart(...)` or `.file(at: url)`.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions.
    /// - Throws: as ``send(_:observer:)``.
    public func put<Value: Decodable & Sendable>(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(.put, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `PUT` and decodes the response; the value comes with the head.
    public func put<Value: Decodable & Sendable>(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        try await response(
            to: EndpointRequest(.put, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `PUT`; the response has the bytes of the body.
    @discardableResult
    public func put(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(.put, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }
}

// MARK: PATCH

extension APIClient {
    /// Sends a `PATCH` and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - json: a value that is encoded as the body.
    ///   - body: any other body, such as `.form(["a": "1"])`, `.multipart(...)` or `.file(at: url)`.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions.
    /// - Throws: as ``send(_:observer:)``.
    public func patch<Value: Decodable & Sendable>(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(.patch, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `PATCH` and decodes the response; the value comes with the head.
    public func patch<Value: Decodable & Sendable>(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        try await response(
            to: EndpointRequest(
                .patch, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `PATCH`; the response has the bytes of the body.
    @discardableResult
    public func patch(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(.patch, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }
}

// MARK: DELETE

extension APIClient {
    /// Sends a `DELETE` and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - json: a value that is encoded as the body.
    ///   - body: any other body, such as `.form(["a": "1"])`, `.multipart(...)` or `.file(at: url)`.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions.
    /// - Throws: as ``send(_:observer:)``.
    public func delete<Value: Decodable & Sendable>(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(.delete, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `DELETE` and decodes the response; the value comes with the head.
    public func delete<Value: Decodable & Sendable>(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        try await response(
            to: EndpointRequest(
                .delete, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `DELETE`; the response has the bytes of the body.
    @discardableResult
    public func delete(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(.delete, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }
}

// MARK: QUERY

extension APIClient {
    /// Sends a `QUERY` (RFC 10008), a safe request with a body, and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - json: a value that is encoded as the body.
    ///   - body: any other body, such as `.form(["a": "1"])`, `.multipart(...)` or `.file(at: url)`.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions.
    /// - Throws: as ``send(_:observer:)``.
    public func query<Value: Decodable & Sendable>(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(.query, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `QUERY` and decodes the response; the value comes with the head.
    public func query<Value: Decodable & Sendable>(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        try await response(
            to: EndpointRequest(
                .query, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `QUERY`; the response has the bytes of the body.
    @discardableResult
    public func query(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:],
        json: (any Encodable & Sendable)? = nil, body: EndpointBody = .empty,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(.query, path, query: query, fields: fields, body: try .one(json, body), timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }
}

// MARK: Others

extension APIClient {
    /// Sends a `HEAD`; the response has no body.
    @discardableResult
    public func head(
        _ path: RequestPath, query: Query = [:], fields: KeyValuePairs<String, String> = [:], timeout: Duration? = nil
    ) async throws -> HTTPResponse {
        try await send(EndpointRequest(.head, path, query: query, fields: fields, timeout: timeout))
    }
}

extension EndpointBody {
    /// The body of a call that may have a JSON value or another body.
    /// - Throws: `HTTPMessageError` (`severalBodies`).
    fileprivate static func one(
        _ json: (any Encodable & Sendable)?, _ body: EndpointBody
    ) throws(HTTPMessageError) -> EndpointBody {
        guard let json else { return body }
        guard case .body(let other) = body.content, other.isEmpty else {
            throw HTTPMessageError(.severalBodies, "The call has both `json` and `body`; pass one of them.")
        }
        return .json(json)
    }
}

public import HTTPMessages
public import RequestModel
public import Transport

// As in APIClient+Verbs.swift.

// MARK: GET

extension APIClient {
    /// Sends a `GET` and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions, as ``/Transport/ProgressObserver`` says.
    /// - Throws: as `send(_:observer:)`.
    public func get<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(.get, path, query: query, fields: fields, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `GET` and decodes the response; the value comes with the head.
    public func get<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        try await response(
            to: EndpointRequest(.get, path, query: query, fields: fields, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `GET`; the response has the bytes of the body.
    @discardableResult
    public func get(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(.get, path, query: query, fields: fields, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }
}

// MARK: HEAD

extension APIClient {
    /// Sends a `HEAD`; the response has no body.
    @discardableResult
    public func head(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], timeout: Duration? = nil
    ) async throws -> HTTPResponse {
        try await send(EndpointRequest(.head, path, query: query, fields: fields, timeout: timeout))
    }
}

// MARK: QUERY

extension APIClient {
    /// Sends a `QUERY` (RFC 10008), a safe request with a body, and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - body: such as `.form(["a": "1"])`, `.multipart(...)` or `.file(at: url)`; default none.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions, as ``/Transport/ProgressObserver`` says.
    /// - Throws: as `send(_:observer:)`.
    public func query<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(.query, path, query: query, fields: fields, body: body, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `QUERY` and decodes the response; the value comes with the head.
    public func query<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        try await response(
            to: EndpointRequest(.query, path, query: query, fields: fields, body: body, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `QUERY`; the response has the bytes of the body.
    @discardableResult
    public func query(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(.query, path, query: query, fields: fields, body: body, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }
}

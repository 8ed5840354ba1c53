public import HTTPMessages
public import RequestModel
public import Transport

// Each verb with a body exists six times: with any body here, and with a value as JSON in APIClient+JSONVerbs.swift;
// each with the decoded value, with value and head, and with the bytes. The type of the result chooses one; without one
// it is the bytes. All of them take parameters, fields, a timeout and, but for `HEAD`, a closure for progress.

// MARK: POST

extension APIClient {
    /// Sends a `POST` and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - body: such as `.form(["a": "1"])`, `.multipart(...)` or `.file(at: url)`; default none.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions, as ``/Transport/ProgressObserver`` says.
    /// - Throws: as `send(_:observer:)`.
    public func post<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(.post, path, query: query, fields: fields, body: body, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `POST` and decodes the response; the value comes with the head.
    public func post<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        try await response(
            to: EndpointRequest(.post, path, query: query, fields: fields, body: body, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `POST`; the response has the bytes of the body.
    @discardableResult
    public func post(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(.post, path, query: query, fields: fields, body: body, timeout: timeout),
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
    ///   - body: such as `.form(["a": "1"])`, `.multipart(...)` or `.file(at: url)`; default none.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions, as ``/Transport/ProgressObserver`` says.
    /// - Throws: as `send(_:observer:)`.
    public func put<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(.put, path, query: query, fields: fields, body: body, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `PUT` and decodes the response; the value comes with the head.
    public func put<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        try await response(
            to: EndpointRequest(.put, path, query: query, fields: fields, body: body, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `PUT`; the response has the bytes of the body.
    @discardableResult
    public func put(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(.put, path, query: query, fields: fields, body: body, timeout: timeout),
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
    ///   - body: such as `.form(["a": "1"])`, `.multipart(...)` or `.file(at: url)`; default none.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions, as ``/Transport/ProgressObserver`` says.
    /// - Throws: as `send(_:observer:)`.
    public func patch<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(.patch, path, query: query, fields: fields, body: body, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `PATCH` and decodes the response; the value comes with the head.
    public func patch<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        try await response(
            to: EndpointRequest(.patch, path, query: query, fields: fields, body: body, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `PATCH`; the response has the bytes of the body.
    @discardableResult
    public func patch(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(.patch, path, query: query, fields: fields, body: body, timeout: timeout),
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
    ///   - body: such as `.form(["a": "1"])`, `.multipart(...)` or `.file(at: url)`; default none.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions, as ``/Transport/ProgressObserver`` says.
    /// - Throws: as `send(_:observer:)`.
    public func delete<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        try await send(
            EndpointRequest(.delete, path, query: query, fields: fields, body: body, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `DELETE` and decodes the response; the value comes with the head.
    public func delete<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        try await response(
            to: EndpointRequest(.delete, path, query: query, fields: fields, body: body, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }

    /// Sends a `DELETE`; the response has the bytes of the body.
    @discardableResult
    public func delete(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:],
        body: EndpointBody = .empty, timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            EndpointRequest(.delete, path, query: query, fields: fields, body: body, timeout: timeout),
            observer: progress.map(ProgressObserver.init))
    }
}

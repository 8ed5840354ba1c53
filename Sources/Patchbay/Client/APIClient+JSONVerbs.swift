public import HTTPMessages
public import RequestModel
public import Transport

// As in APIClient+Verbs.swift. The value need not be Sendable: it is encoded before the call is sent.

extension APIClient {
    /// A value as it is sent.
    private func body(of value: some Encodable) throws(HTTPMessageError) -> EndpointBody {
        EndpointBody(try json.body(of: value))
    }
}

// MARK: POST

extension APIClient {
    /// Sends a `POST` with a value as JSON, and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - json: a value that is encoded as the body by ``json``, on the caller's actor; `null` for a nil.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions, as ``/Transport/ProgressObserver`` says.
    /// - Throws: as `send(_:observer:)`.
    public func post<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        let body = try body(of: json)
        return try await post(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }

    /// Sends a `POST` with a value as JSON; the decoded value comes with the head.
    public func post<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        let body = try body(of: json)
        return try await post(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }

    /// Sends a `POST` with a value as JSON; the response has the bytes of the body.
    @discardableResult
    public func post(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        let body = try body(of: json)
        return try await post(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }
}

// MARK: PUT

extension APIClient {
    /// Sends a `PUT` with a value as JSON, and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - json: a value that is encoded as the body by ``json``, on the caller's actor; `null` for a nil.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions, as ``/Transport/ProgressObserver`` says.
    /// - Throws: as `send(_:observer:)`.
    public func put<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        let body = try body(of: json)
        return try await put(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }

    /// Sends a `PUT` with a value as JSON; the decoded value comes with the head.
    public func put<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        let body = try body(of: json)
        return try await put(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }

    /// Sends a `PUT` with a value as JSON; the response has the bytes of the body.
    @discardableResult
    public func put(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        let body = try body(of: json)
        return try await put(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }
}

// MARK: PATCH

extension APIClient {
    /// Sends a `PATCH` with a value as JSON, and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - json: a value that is encoded as the body by ``json``, on the caller's actor; `null` for a nil.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions, as ``/Transport/ProgressObserver`` says.
    /// - Throws: as `send(_:observer:)`.
    public func patch<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        let body = try body(of: json)
        return try await patch(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }

    /// Sends a `PATCH` with a value as JSON; the decoded value comes with the head.
    public func patch<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        let body = try body(of: json)
        return try await patch(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }

    /// Sends a `PATCH` with a value as JSON; the response has the bytes of the body.
    @discardableResult
    public func patch(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        let body = try body(of: json)
        return try await patch(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }
}

// MARK: DELETE

extension APIClient {
    /// Sends a `DELETE` with a value as JSON, and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - json: a value that is encoded as the body by ``json``, on the caller's actor; `null` for a nil.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions, as ``/Transport/ProgressObserver`` says.
    /// - Throws: as `send(_:observer:)`.
    public func delete<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        let body = try body(of: json)
        return try await delete(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }

    /// Sends a `DELETE` with a value as JSON; the decoded value comes with the head.
    public func delete<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        let body = try body(of: json)
        return try await delete(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }

    /// Sends a `DELETE` with a value as JSON; the response has the bytes of the body.
    @discardableResult
    public func delete(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        let body = try body(of: json)
        return try await delete(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }
}

// MARK: QUERY

extension APIClient {
    /// Sends a `QUERY` (RFC 10008) with a value as JSON, and decodes the response.
    /// - Parameters:
    ///   - path: below the base URL; interpolated values are escaped.
    ///   - query: parameters, which replace those of the client with the same names.
    ///   - fields: header fields, which replace those of the client with the same names.
    ///   - json: a value that is encoded as the body by ``json``, on the caller's actor; `null` for a nil.
    ///   - timeout: for the whole call; nil means the client's.
    ///   - progress: called with the progress of both directions, as ``/Transport/ProgressObserver`` says.
    /// - Throws: as `send(_:observer:)`.
    public func query<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        let body = try body(of: json)
        return try await self.query(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }

    /// Sends a `QUERY` with a value as JSON; the decoded value comes with the head.
    public func query<Value: Decodable>(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Response<Value> {
        let body = try body(of: json)
        return try await self.query(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }

    /// Sends a `QUERY` with a value as JSON; the response has the bytes of the body.
    @discardableResult
    public func query(
        _ path: RequestPath, query: Query = [:], fields: HTTPFields = [:], json: some Encodable,
        timeout: Duration? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        let body = try body(of: json)
        return try await self.query(
            path, query: query, fields: fields, body: body, timeout: timeout, progress: progress)
    }
}

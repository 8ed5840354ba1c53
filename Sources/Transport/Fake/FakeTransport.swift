public import HTTPMessages

/// A transport without a network; a closure makes the responses.
///
/// ```swift
/// let transport = FakeTransport { request in
///     HTTPResponse(status: .ok, body: Data("hello".utf8), url: request.url)
/// }
/// ```
/// Events and the response size limit work as over the network. Streamed bodies arrive in chunks. The closure reads the
/// request body, if it needs it; a cancelled call ends with `cancelled` when the closure returns. An invalid timeout is
/// an error, but none is kept: there is no clock, and nothing ends a closure that waits. Options for an engine are
/// ignored, and the fields that an engine sets itself, such as `Host` and `Content-Length`, are not refused.
public struct FakeTransport: StreamingTransport {
    private let respond: @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// Creates a transport that calls `respond` for each request.
    public init(_ respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) { self.respond = respond }

    /// Returns the closure's response.
    /// - Throws: the closure's errors; `TransportError` (`cancelled`, `responseTooLarge`); `HTTPMessageError`
    ///   (`invalidTimeout`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let response = try await self.response(to: request, isStream: false)
        guard response.body.count <= request.options.maximumResponseBytes else {
            throw TransportError.responseTooLarge(
                limit: request.options.maximumResponseBytes, request: request, head: response.head,
                bodyPrefix: response.body)
        }
        report(request, response.head, to: observer)
        let count = Int64(response.body.count)
        if count > 0 { observer?.transfer(didEmit: .receivedBytes(count, total: count)) }
        return response
    }

    /// Returns the closure's response, with the body in chunks.
    /// - Throws: the closure's errors; `TransportError` (`cancelled`); `HTTPMessageError` (`invalidTimeout`).
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        do {
            let response = try await self.response(to: request, isStream: true)
            report(request, response.head, to: observer)
            return HTTPResponseStream(
                head: response.head, body: BufferedResponseBody(response.body, of: request, observer: observer))
        } catch let faulty as FaultyResponse {
            let response = faulty.stream(for: request, observer: observer)
            report(request, response.head, to: observer)
            return response
        }
    }

    private func response(to request: HTTPRequest, isStream: Bool) async throws -> HTTPResponse {
        try request.fields.validate()
        try request.options.timeouts.validate()
        try checkCancellation(of: request)
        var response: HTTPResponse
        do {
            response = try await FaultyResponse.$isAccepted.withValue(isStream) { try await respond(request) }
            response.head.method = response.head.method ?? request.method
        } catch is CancellationError {
            throw TransportError.cancelled(request)
        }
        try checkCancellation(of: request)
        return response
    }

    private func report(_ request: HTTPRequest, _ head: HTTPResponseHead, to observer: (any TransferObserver)?) {
        if let length = request.body.length, length > 0 {
            observer?.transfer(didEmit: .sentBytes(length, total: length))
        }
        observer?.transfer(didEmit: .head(head))
    }

    private func checkCancellation(of request: HTTPRequest) throws {
        guard !Task.isCancelled else { throw TransportError.cancelled(request) }
    }
}

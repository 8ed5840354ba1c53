public import HTTPMessages

/// A transport without a network: a closure answers.
///
/// ```swift
/// let transport = FakeTransport { request in
///     HTTPResponse(status: .ok, body: Data("hello".utf8), url: request.url)
/// }
/// ```
/// Events, the limit on the response's size and cancellation before the answer are as over the network. A body that is
/// streamed comes in pieces.
public struct FakeTransport: StreamingTransport {
    private let respond: @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// A transport that asks `respond` for each answer.
    public init(_ respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) { self.respond = respond }

    /// Answers one request.
    /// - Throws: what the closure throws; `TransportError` (`cancelled`, `responseTooLarge`); `HTTPMessageError`
    ///   (`invalidTimeout`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let response = try await answer(request)
        guard response.body.count <= request.options.maximumResponseBytes else {
            throw TransportError.responseTooLarge(
                limit: request.options.maximumResponseBytes, request: request, head: response.head,
                bodyPrefix: response.body)
        }
        report(request, response.head, to: observer)
        let count = Int64(response.body.count)
        if count > 0 { observer?.transfer(didReach: .received(count, of: count)) }
        return response
    }

    /// Answers one request, and gives the body in pieces.
    /// - Throws: what the closure throws; `TransportError` (`cancelled`); `HTTPMessageError` (`invalidTimeout`).
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let response = try await answer(request)
        report(request, response.head, to: observer)
        return HTTPResponseStream(
            head: response.head, body: BufferedBody(response.body, of: request, observer: observer))
    }

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        try request.options.timeouts.validate()
        try checkCancellation(of: request)
        var response: HTTPResponse
        do {
            response = try await respond(request)
            response.head.method = response.head.method ?? request.method
        } catch is CancellationError {
            throw TransportError(.cancelled, "The call was cancelled.", request: request)
        }
        try checkCancellation(of: request)
        return response
    }

    private func report(_ request: HTTPRequest, _ head: HTTPResponseHead, to observer: (any TransferObserver)?) {
        if let length = request.body.length, length > 0 { observer?.transfer(didReach: .sent(length, of: length)) }
        observer?.transfer(didReach: .head(head))
    }

    private func checkCancellation(of request: HTTPRequest) throws {
        guard !Task.isCancelled else {
            throw TransportError(.cancelled, "The call was cancelled.", request: request)
        }
    }
}

public import HTTPMessages

/// A transport without a network: a closure answers.
///
/// ```swift
/// let transport = FakeTransport { request in
///     HTTPResponse(status: .ok, body: Data("hello".utf8), url: request.url)
/// }
/// ```
/// Events, the limit on the response's size and cancellation before the answer are as over the network.
public struct FakeTransport: Transport {
    private let respond: @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// A transport that asks `respond` for each answer.
    public init(_ respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) { self.respond = respond }

    /// Answers one request.
    /// - Throws: what the closure throws; `TransportError` (`cancelled`, `responseTooLarge`); `HTTPMessageError`
    ///   (`invalidTimeout`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try request.options.timeouts.validate()
        try checkCancellation(of: request)
        let response: HTTPResponse
        do {
            response = try await respond(request)
        } catch is CancellationError {
            throw TransportError(.cancelled, "The call was cancelled.", request: request)
        }
        try checkCancellation(of: request)
        guard response.body.count <= request.options.maximumResponseBytes else {
            let limit = request.options.maximumResponseBytes
            throw TransportError(
                .responseTooLarge, "The response's body is larger than \(limit) bytes.", request: request,
                head: response.head, bodyPrefix: response.body)
        }
        if let observer {
            if let length = request.body.length, length > 0 {
                observer.transfer(didReach: .sent(length, of: length))
            }
            observer.transfer(didReach: .head(response.head))
            let count = Int64(response.body.count)
            if count > 0 { observer.transfer(didReach: .received(count, of: count)) }
        }
        return response
    }

    private func checkCancellation(of request: HTTPRequest) throws {
        guard !Task.isCancelled else {
            throw TransportError(.cancelled, "The call was cancelled.", request: request)
        }
    }
}

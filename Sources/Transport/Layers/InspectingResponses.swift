public import HTTPMessages

/// A layer that calls a closure with the head of each response.
///
/// ```swift
/// let transport = URLSessionTransport.shared.onResponse { head, request in
///     if head.status == .unauthorized { signOut() }
/// }
/// ```
public struct InspectingResponses<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    private let inspect: @Sendable (HTTPResponseHead, HTTPRequest) async throws -> Void

    /// Creates a layer over a transport.
    /// - Parameter inspect: called before the caller gets the response; its errors are thrown in place of it.
    public init(base: Base, _ inspect: @escaping @Sendable (HTTPResponseHead, HTTPRequest) async throws -> Void) {
        self.base = base
        self.inspect = inspect
    }

    /// Sends a request and calls the closure with the head of the response.
    /// - Throws: the errors of the base and of the closure.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let response = try await base.send(request, observer: observer)
        try await inspect(response.head, request)
        return response
    }
}

extension InspectingResponses: StreamingTransport where Base: StreamingTransport {
    /// Sends a request and calls the closure when the head of the response has arrived.
    /// - Throws: the errors of the base and of the closure.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let response = try await base.stream(request, observer: observer)
        try await inspect(response.head, request)
        return response
    }
}

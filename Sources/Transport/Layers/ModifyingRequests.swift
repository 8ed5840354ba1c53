public import HTTPMessages

/// A layer that changes each request before it is sent.
///
/// ```swift
/// let transport = URLSessionTransport.shared.modifyingRequests { $0.fields["X-Trace"] = UUID().uuidString }
/// ```
public struct ModifyingRequests<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    private let change: @Sendable (inout HTTPRequest) async throws -> Void

    /// Creates a layer over a transport.
    /// - Parameter change: called once for each request that reaches this layer; its errors are thrown to the caller.
    public init(base: Base, _ change: @escaping @Sendable (inout HTTPRequest) async throws -> Void) {
        self.base = base
        self.change = change
    }

    /// Changes a request and sends it.
    /// - Throws: the errors of the base, as those of the request before the change, and of the closure.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await sending(request) { try await base.send($0, observer: observer) }
    }

    private func sending<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, by send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        var changed = request
        try await change(&changed)
        do {
            return try await send(changed)
        } catch  where changed.url != request.url {
            throw error.ofRequest(request, sentAs: changed)
        }
    }
}

extension ModifyingRequests: StreamingTransport where Base: StreamingTransport {
    /// Changes a request, sends it and streams the response.
    /// - Throws: as ``send(_:observer:)``.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await sending(request) { try await base.stream($0, observer: observer) }
    }
}

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
    /// - Throws: the errors of the base and of the closure.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await base.send(changed(request), observer: observer)
    }

    private func changed(_ request: HTTPRequest) async throws -> HTTPRequest {
        var request = request
        try await change(&request)
        return request
    }
}

extension ModifyingRequests: StreamingTransport where Base: StreamingTransport {
    /// Changes a request, sends it and streams the response.
    /// - Throws: the errors of the base and of the closure.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await base.stream(changed(request), observer: observer)
    }
}

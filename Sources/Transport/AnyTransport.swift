public import HTTPMessages

/// A type-erased transport.
///
/// It also streams. Over a base that does not stream, it loads the whole response into memory first.
public struct AnyTransport: StreamingTransport {
    /// The transport that sends the requests.
    public let base: any Transport

    /// Wraps a transport; another `AnyTransport` is not wrapped twice.
    public init(_ base: some Transport) { self.base = (base as? AnyTransport)?.base ?? base }

    /// The network, through ``URLSessionTransport/shared``.
    public static let network = AnyTransport(URLSessionTransport.shared)

    /// Sends one request.
    /// - Throws: the base's errors.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await base.send(request, observer: observer)
    }

    /// Sends one request and returns when the base returns the response head.
    /// - Throws: the base's errors.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        if let base = base as? any StreamingTransport { return try await base.stream(request, observer: observer) }
        let response = try await base.send(request, observer: observer)
        return HTTPResponseStream(
            head: response.head, body: BufferedResponseBody(response.body, of: request, observer: nil))
    }
}

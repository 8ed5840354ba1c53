public import HTTPMessages

/// A transport around any other, where a type has to be named.
///
/// It streams too: over a transport that does not, the whole response is in memory before its body is read.
public struct AnyTransport: StreamingTransport {
    /// The transport that sends the requests.
    public let base: any Transport

    /// A transport around another.
    public init(_ base: some Transport) { self.base = (base as? AnyTransport)?.base ?? base }

    /// The network, through ``URLSessionTransport/shared``.
    public static let network = AnyTransport(URLSessionTransport.shared)

    /// Sends one request.
    /// - Throws: what the base throws.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await base.send(request, observer: observer)
    }

    /// Sends one request and returns as soon as the base gives the head of the response.
    /// - Throws: what the base throws.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        if let base = base as? any StreamingTransport { return try await base.stream(request, observer: observer) }
        let response = try await base.send(request, observer: observer)
        return HTTPResponseStream(
            head: response.head, body: BufferedBody(response.body, of: request, observer: nil))
    }
}

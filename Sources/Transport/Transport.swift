public import HTTPMessages

/// Sends an HTTP request and returns its response.
///
/// Call ``send(_:)``. Use ``URLSessionTransport`` for the network and ``FakeTransport`` for canned responses. Implement
/// the protocol to add a layer: a struct that wraps another transport and forwards what it does not change:
///
/// ```swift
/// struct Stamped<Base: Transport>: Transport {
///     let base: Base
///     func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
///         var request = request
///         try request.fields.set("X-Stamp", to: "1")
///         return try await base.send(request, observer: observer)
///     }
/// }
/// ```
///
/// An implementation completes exactly once. Every status is a response, not an error, 404 included. When its task is
/// cancelled, it throws `cancelled` promptly.
public protocol Transport: Sendable {
    /// Sends one request.
    /// - Parameters:
    ///   - request: the request; see ``HTTPMessages/HTTPRequest``.
    ///   - observer: receives progress events until this call returns, or nil.
    /// - Throws: ``TransportError``; `HTTPMessageError` when the request is invalid; layers may add their own errors.
    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse
}

extension Transport {
    /// Sends one request without an observer.
    /// - Throws: the errors of ``send(_:observer:)``.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await send(request, observer: nil)
    }
}

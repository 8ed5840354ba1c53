public import HTTPMessages

/// Sends a request and returns its response. The one seam of the whole call path.
///
/// *Use* one through ``send(_:)``. *Choose* ``URLSessionTransport`` for the network and ``FakeTransport`` for answers
/// without one. *Implement* it to change how requests travel, as a struct over another transport that passes on what
/// it does not change:
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
/// An implementation completes exactly once, whatever status came back: a 404 is a response, not an error. It ends
/// promptly with ``TransportError/Code/cancelled`` when its task is cancelled.
public protocol Transport: Sendable {
    /// Sends one request.
    /// - Parameters:
    ///   - request: what to send; see ``HTTPMessages/HTTPRequest``.
    ///   - observer: hears of progress until this call returns, or nil.
    /// - Throws: ``TransportError``; `HTTPMessageError` when the request cannot be sent; layers may add errors of
    ///   their own.
    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse
}

extension Transport {
    /// Sends one request without watching its progress.
    /// - Throws: what ``send(_:observer:)`` throws.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await send(request, observer: nil)
    }
}

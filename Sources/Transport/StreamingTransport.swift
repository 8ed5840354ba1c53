public import HTTPMessages

/// A transport that streams response bodies.
///
/// Call ``stream(_:)`` for long or endless bodies, and ``download(_:to:options:renewingURL:observer:clock:)`` to write
/// a file. ``URLSessionTransport`` conforms, and so does each layer over a streaming transport. Implement it as
/// ``Transport``:
///
/// ```swift
/// extension Stamped: StreamingTransport where Base: StreamingTransport {
///     func stream(
///         _ request: HTTPRequest, observer: (any TransferObserver)?
///     ) async throws -> HTTPResponseStream {
///         try await base.stream(stamped(request), observer: observer)
///     }
/// }
/// ```
///
/// An implementation buffers at most a few MiB in memory, however slow the reader. It stops promptly when the body is
/// released or the reading task is cancelled.
public protocol StreamingTransport: Transport {
    /// Sends one request and returns when the response head has arrived.
    ///
    /// After a failure in the body, the iterator delivers the bytes received before it and then throws
    /// ``TransportError``. `maximumResponseBytes` limits bodies in memory, not this one. The timeouts apply until the
    /// last byte has arrived from the network; a slow reader does not trigger the idle timeout.
    /// - Parameters:
    ///   - request: the request.
    ///   - observer: receives progress events until the reader reaches the end of the body or releases it, or nil.
    ///     Bytes count when they arrive from the network, possibly before they are read.
    /// - Throws: the errors of ``Transport/send(_:observer:)`` that occur before the head arrives.
    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream
}

extension StreamingTransport {
    /// Sends one request without an observer and returns when the response head has arrived.
    /// - Throws: the errors of ``stream(_:observer:)``.
    public func stream(_ request: HTTPRequest) async throws -> HTTPResponseStream {
        try await stream(request, observer: nil)
    }
}

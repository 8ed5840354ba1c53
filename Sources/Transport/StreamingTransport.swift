public import HTTPMessages

/// A transport that gives a response's body while it comes.
///
/// *Use* it for bodies that are long or have no end, through ``stream(_:)``; for a file there is
/// ``download(_:to:options:observer:)``. *Choose* ``URLSessionTransport``, or any layer over a transport that streams.
/// *Implement* it as ``Transport`` is implemented:
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
/// An implementation holds no more than a few mebibytes in memory, however slowly the body is read. It ends promptly when
/// the body is let go or the reading task is cancelled.
public protocol StreamingTransport: Transport {
    /// Sends one request and returns as soon as the head of the response has come.
    ///
    /// The body arrives while it is read. What goes wrong after the head reaches the reader, after the bytes before it:
    /// the body's iterator throws ``TransportError``. `maximumResponseBytes` is for bodies in memory and does not limit
    /// this one. The deadlines hold until the last byte has come from the network, however slowly it is read; reading
    /// slowly does not make the idle deadline pass.
    /// - Parameters:
    ///   - request: what to send.
    ///   - observer: hears of progress until the reader has seen the end of the body or has let it go, or nil. It counts
    ///     bytes as they come from the network, which may be before they are read.
    /// - Throws: what ``Transport/send(_:observer:)`` throws, when it happens before the head has come.
    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream
}

extension StreamingTransport {
    /// Sends one request without watching its progress, and returns as soon as the head of the response has come.
    /// - Throws: what ``stream(_:observer:)`` throws.
    public func stream(_ request: HTTPRequest) async throws -> HTTPResponseStream {
        try await stream(request, observer: nil)
    }
}

public import HTTPMessages
public import Transport

/// A transport that calls a service in process.
///
/// It behaves like a real transport to a ``LoopbackServer`` with the same service: an error that the service throws is
/// a response with status 500, `HEAD` has no body, and `Content-Length` is set. When the task is cancelled, `send`
/// throws at once, even if the service ignores cancellation.
///
/// ```swift
/// let transport = ServiceTransport { request in request.response(text: "Hello") }
/// ```
///
/// Events come in this order: `sent` when there is a body, `head`, and `received` when there is a body. An invalid
/// timeout is an error, but none is kept: there is no clock. ``ScriptedTransport/Step/service(_:with:clock:)`` has one.
/// A body with a content coding is not decoded. Options for an engine are ignored, and the fields that an engine sets
/// itself, such as `Host` and `Content-Length`, are not refused: send such requests over a ``LoopbackServer``.
public struct ServiceTransport<Service: HTTPService>: StreamingTransport {
    /// The service.
    public let service: Service

    /// Creates a transport for a service.
    public init(_ service: Service) { self.service = service }

    /// Creates a transport for a closure.
    public init(_ handler: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse)
    where Service == ClosureService {
        service = ClosureService(handler)
    }

    /// Calls the service.
    /// - Throws: `TransportError` (`cancelled`, `unreadableBody`, `responseTooLarge`), and `HTTPMessageError`
    ///   (`invalidTimeout`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await InProcessExchange(request: request, observer: observer).send { [service] request in
            await service.framedResponse(to: request)
        }
    }
    /// Calls the service and streams the response body in chunks.
    /// - Throws: `TransportError` (`cancelled`, `unreadableBody`), and `HTTPMessageError` (`invalidTimeout`).
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await InProcessExchange(request: request, observer: observer).stream { [service] request in
            await service.framedResponse(to: request)
        }
    }
}

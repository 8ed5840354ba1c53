public import HTTPMessages
public import Transport

/// A service as a transport, without a socket.
///
/// It behaves as a ``LoopbackServer`` with the same service does behind a real transport: an error that the service
/// throws is a response with status 500, `HEAD` has no body, and `Content-Length` is stated. When the task is cancelled
/// the call ends at once, whether the service heeds that or not.
///
/// ```swift
/// let transport = ServiceTransport { request in request.reply(text: "Hello") }
/// ```
///
/// Events come in this order: `sent` when there is a body, `head`, and `received` when there is a body. Deadlines are
/// not kept: nothing here waits but the service.
public struct ServiceTransport<Service: HTTPService>: StreamingTransport {
    /// The service that answers.
    public let service: Service

    /// A transport to a service.
    public init(_ service: Service) { self.service = service }

    /// A transport to a service that is one closure.
    public init(_ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse)
    where Service == ClosureService {
        service = ClosureService(answer)
    }

    /// Hands the request to the service.
    /// - Throws: `TransportError` (`cancelled`, `unreadableBody`, `responseTooLarge`), and `HTTPMessageError` when a
    ///   timeout cannot be kept.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await InProcessExchange(request: request, observer: observer).send { [service] request in
            await service.answer(request)
        }
    }
    /// Hands the request to the service, and gives the body in pieces.
    /// - Throws: `TransportError` (`cancelled`, `unreadableBody`), and `HTTPMessageError` when a timeout cannot be kept.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await InProcessExchange(request: request, observer: observer).stream { [service] request in
            await service.answer(request)
        }
    }
}

public import HTTPMessages
public import Transport

/// Sends a request once when several callers ask for the same at the same time.
///
/// ```swift
/// let transport = Coalescing(base: URLSessionTransport.shared)
/// async let first = transport.send(request)
/// async let second = transport.send(request)  // waits for the answer to the first
/// ```
///
/// Shared are `GET` and `HEAD` requests without a body and without a deadline for the whole request, while one with the
/// same method, URL, fields and options is under way; tag and priority may differ, and the first one's count. What has
/// ended is not shared: this is no cache. Others go through as they are. A copy of this layer shares with its original.
///
/// Every caller has the outcome of the shared send, an error too, and cancels for itself alone; when the last one has
/// gone the send is cancelled. Each observer hears all events; one that comes later hears the last of each kind of those
/// that it has missed.
///
/// Put it outside of layers that belong to one caller, and inside those that make requests differ, such as
/// authorization.
public struct Coalescing<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    private let sends = SharedSends()

    /// A layer over a transport.
    public init(base: Base) { self.base = base }

    /// How many shared sends are under way.
    public var sendsUnderWay: Int { sends.count }

    /// How many callers wait for them.
    var callers: Int { sends.callers }

    /// Sends a request, or waits for the send of another caller's.
    /// - Throws: what the base throws; `TransportError` (`cancelled`) at once when the task is cancelled.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        guard let key = SharedSends.Key(request) else { return try await base.send(request, observer: observer) }
        return try await sends.send(request, for: key, observer: observer, over: base)
    }
}

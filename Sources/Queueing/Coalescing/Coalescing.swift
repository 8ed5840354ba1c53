import Coordination
public import HTTPMessages
public import Transport

/// Request coalescing (single flight): sends equal concurrent requests once.
///
/// ```swift
/// let transport = Coalescing(base: URLSessionTransport.shared)
/// async let first = transport.send(request)
/// async let second = transport.send(request)  // shares the response of the first
/// ```
///
/// `GET` and `HEAD` requests without a body and without a total timeout share a request in flight with the same method,
/// URL, fields and options; those of the first one apply for tag and priority, which may differ. Finished requests are
/// not shared: this is no cache. All other requests are sent unshared, as are those that an authorizer sends to obtain
/// a credential: a request in flight may wait for it. Copies of this layer share their requests in flight.
///
/// All callers get the same outcome, errors included. Cancelling one caller does not affect the others; once all are
/// cancelled, so is the request. Each observer gets all events; a late one starts with the last missed event of each
/// kind. Each event of a queue or a circuit is for one of the monitored calls.
///
/// Put it outside layers that belong to one caller, and inside layers that make requests differ, such as authorization
/// of several users. A `Stack` of the module Patchbay tells requests before a sign-out from those after it; in a chain
/// of your own, make another one for the next user, whose requests would share responses of the former.
public struct Coalescing<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    private let requests = SharedRequests()

    /// A layer over a transport.
    public init(base: Base) { self.base = base }

    /// The number of shared requests in flight.
    public var inFlightCount: Int { requests.count }

    /// The number of callers waiting for them.
    var waiterCount: Int { requests.waiterCount }

    /// Sends a request, or joins an equal one in flight.
    ///
    /// A cancelled call does not wait for its observer, also after the end of the request.
    /// - Throws: errors of the base; `TransportError` (`cancelled`) at once if the task is cancelled.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        // The request in flight may wait for the work that needs this one, such as a refresh.
        guard !RunningWork.isCurrent, let key = SharedRequests.Key(request) else {
            return try await base.send(request, observer: observer)
        }
        return try await requests.send(request, for: key, observer: observer, over: base)
    }
}

import Coordination
public import Foundation
public import HTTPMessages

/// A layer that follows redirects (RFC 9110, section 15.4).
///
/// ```swift
/// let transport = Redirecting(base: CookieKeeping(base: URLSessionTransport.shared))
/// let response = try await transport.send(request)
/// response.head.redirects.map(\.url)  // the URLs before the last one
/// ```
///
/// The ``RedirectPolicy`` lists the statuses to follow; `RequestOptions.redirectPolicy` changes it for one request.
/// Responses with other statuses, such as 300, 304, 305 and 306, and responses without a `Location` are returned
/// unchanged.
///
/// `Authorization`, `Proxy-Authorization`, `Cookie` and the policy's secret fields are not forwarded to another origin,
/// and are not restored when a later redirect returns to the first. A ``CookieKeeping`` layer below chooses cookies for
/// each request.
///
/// The body of a followed redirect is discarded, and may exceed `maximumResponseBytes`.
///
/// Each redirect is a separate request to the base and starts its events from zero. The total timeout applies to all
/// requests together, the other timeouts to each.
public struct Redirecting<Base: Transport>: Transport {
    /// The transport that sends each request.
    public let base: Base
    /// The redirects to follow.
    public let policy: RedirectPolicy
    private let clock: AnyMonotonicClock
    private let willFollow: @Sendable (Redirect) async throws -> URL?

    /// Creates a layer over a transport.
    /// - Parameters:
    ///   - clock: measures the total timeout.
    ///   - willFollow: called before each redirect; returns the target, another URL, or nil to return the redirect as
    ///     the response. The policy applies to another URL too. Its errors are thrown to the caller.
    public init(
        base: Base, policy: RedirectPolicy = .standard, clock: some Clock<Duration> = ContinuousClock(),
        willFollow: @escaping @Sendable (Redirect) async throws -> URL? = { $0.target }
    ) {
        self.base = base
        self.policy = policy
        self.clock = AnyMonotonicClock(clock)
        self.willFollow = willFollow
    }

    /// Sends a request and follows its redirects.
    /// - Throws: the base's errors; `TransportError` (`tooManyRedirects`, `redirectRefused`, `timedOut`) with the
    ///   head of the redirect that was not followed.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await follow(request, observer) { try await base.send($0, observer: observer) }
    }

    private func follow<Response: HTTPResponseProtocol>(
        _ request: HTTPRequest, _ observer: (any TransferObserver)?, _ send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        let redirects = request.options.redirectPolicy
        let policy = redirects == .byPolicy ? policy : redirects.applied(to: policy)
        var request = request
        let call = request.options.openCall()
        defer { call.close() }
        var state = RedirectState(request, policy: policy, now: clock.now)
        while true {
            var response: Response
            do {
                response = try await send(request)
            } catch var error as TransportError where error.code == .responseTooLarge {
                guard let head = error.head, let redirect = try state.received(head),
                    let target = try await willFollow(redirect)
                else {
                    error.head = error.head.map { state.finished($0) }
                    throw error
                }
                try state.follow(redirect, to: target)
                observer?.report(RedirectEvent(redirect.head, to: state.request.url))
                request = try state.nextRequest(now: clock.now)
                continue
            } catch {
                throw state.failure(error)
            }
            let redirect = try state.received(response.head)
            guard let redirect, let target = try await willFollow(redirect) else {
                response.head = state.finished(response.head)
                return response
            }
            try state.follow(redirect, to: target)
            observer?.report(RedirectEvent(redirect.head, to: state.request.url))
            await response.discard(until: clock.now + .seconds(1), on: clock)
            request = try state.nextRequest(now: clock.now)
        }
    }
}

extension Redirecting: StreamingTransport where Base: StreamingTransport {
    /// Sends a request, follows its redirects, and streams the body of the final response.
    ///
    /// The body of a redirect is read and dropped if it is short and arrives within a second, so its connection can be
    /// reused.
    /// - Throws: the base's errors before the head arrives; `TransportError` as in ``send(_:observer:)``.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await follow(request, observer) { try await base.stream($0, observer: observer) }
    }
}

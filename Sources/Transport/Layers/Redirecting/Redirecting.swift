public import Foundation
public import HTTPMessages

/// Follows redirects (RFC 9110, section 15.4), over a transport that does not.
///
/// ```swift
/// let transport = Redirecting(base: CookieKeeping(base: URLSessionTransport.shared))
/// let response = try await transport.send(request)
/// response.head.redirects.map(\.url)  // where it came by
/// ```
///
/// Which statuses are followed, and how, is in the ``RedirectPolicy``. A response without a `Location`, or with an empty
/// one, is returned as it is, and so is every 3xx that the policy does not name, such as 300, 304, 305 and 306.
///
/// `Authorization`, `Proxy-Authorization`, `Cookie` and what the policy calls secret do not reach another origin, nor do
/// they come back when a later redirect leads home. Cookies that are kept inside this layer are chosen anew for each
/// request.
///
/// The body of a redirect that is followed is not kept, and may be larger than `maximumResponseBytes`.
///
/// Each redirect is a request of its own to the base, whose events start over each time. The deadline for the whole
/// request counts over all of them, the others for each.
public struct Redirecting<Base: Transport>: Transport {
    /// The transport that sends each request.
    public let base: Base
    /// Which redirects are followed.
    public let policy: RedirectPolicy
    private let timeline: Timeline
    private let willFollow: @Sendable (Redirect) async throws -> URL?

    /// A layer over a transport.
    /// - Parameters:
    ///   - clock: counts the deadline for the whole request.
    ///   - willFollow: is asked before each redirect where to go: to its target, to another URL, or nowhere (nil), which
    ///     makes the redirect the response of the call. The policy holds for another URL too. What it throws is the
    ///     error of the call.
    public init(
        base: Base, policy: RedirectPolicy = .standard, clock: some Clock<Duration> = ContinuousClock(),
        willFollow: @escaping @Sendable (Redirect) async throws -> URL? = { $0.target }
    ) {
        self.base = base
        self.policy = policy
        timeline = Timeline(clock)
        self.willFollow = willFollow
    }

    /// Sends a request, and follows where its response leads.
    /// - Throws: what the base throws; `TransportError` (`tooManyRedirects`, `redirectRefused`, `timedOut`), which
    ///   carries the head of the redirect that was not followed.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await follow(request) { try await base.send($0, observer: observer) }
    }

    private func follow<Answer: HTTPAnswer>(
        _ request: HTTPRequest, _ send: (HTTPRequest) async throws -> Answer
    ) async throws -> Answer {
        var state = RedirectState(request, policy: policy, now: timeline.now)
        while true {
            var answer: Answer
            do {
                answer = try await send(state.request)
            } catch let error as TransportError where error.code == .responseTooLarge {
                guard let head = error.head, let redirect = try state.received(head),
                    let target = try await willFollow(redirect)
                else { throw error }
                try state.follow(redirect, to: target, now: timeline.now)
                continue
            }
            let redirect = try state.received(answer.head)
            guard let redirect, let target = try await willFollow(redirect) else {
                answer.head = state.finished(answer.head)
                return answer
            }
            try state.follow(redirect, to: target, now: timeline.now)
            await answer.discard(until: timeline.now + .seconds(1), on: timeline)
        }
    }
}

extension Redirecting: StreamingTransport where Base: StreamingTransport {
    /// Sends a request, follows where its response leads, and gives the body of the last one.
    ///
    /// The body of a redirect is read if it is short and comes within a second, so that its connection can be used again,
    /// and dropped.
    /// - Throws: what the base throws before the head has come; `TransportError` as ``send(_:observer:)`` does.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await follow(request) { try await base.stream($0, observer: observer) }
    }
}

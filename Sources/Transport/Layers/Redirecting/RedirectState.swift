import Foundation
import HTTPMessages

/// The state machine of a redirected request, without transport and clock.
///
/// ```
/// send `request` -received: nil->       finished
/// send `request` -received: Redirect->  follow, which sets the next `request`, and nextRequest; or finished
/// ```
/// Any of the calls can throw, which ends the request.
struct RedirectState {
    /// A request as the server sees it, for loop detection; bodies change only with the method.
    private struct Visit: Hashable {
        let method: HTTPMethod
        let url: URL
        let fields: HTTPFields

        init(_ request: HTTPRequest) {
            method = request.method
            url = request.url
            fields = request.fields
        }
    }

    private let policy: RedirectPolicy
    private let total: Duration?
    private let started: Duration
    private var visits: Set<Visit> = []
    private var heads: [HTTPResponseHead] = []
    /// The request to send next, without regard to time.
    private(set) var request: HTTPRequest

    init(_ request: HTTPRequest, policy: RedirectPolicy, now: Duration) {
        self.request = request
        self.policy = policy
        total = request.options.timeouts.total
        started = now
    }

    /// Handles the response head of ``request``.
    /// - Returns: a redirect, to pass to ``follow(_:to:now:)``; nil when this response is the final one.
    mutating func received(_ response: HTTPResponseHead) throws(TransportError) -> Redirect? {
        let target: URL?
        do {
            target = try policy.target(of: response, for: request)
        } catch {
            throw refusal(error, response)
        }
        guard let target else { return nil }
        let head = finished(response)
        guard heads.count < policy.limit else {
            throw TransportError(
                .tooManyRedirects, "Too many redirects (limit \(max(0, policy.limit))); raise `RedirectPolicy.limit`.",
                request: request,
                head: head)
        }
        return Redirect(request: request, head: head, target: target)
    }

    /// Follows a redirect to its target or to another URL.
    mutating func follow(_ redirect: Redirect, to url: URL) throws(TransportError) {
        let next: HTTPRequest
        do {
            next = try policy.request(following: redirect, to: url)
        } catch {
            throw refusal(error, redirect.head)
        }
        if redirect.head.fields.contains(.setCookie) { visits = [] } else { visits.insert(Visit(request)) }
        guard !policy.detectsLoops || !visits.contains(Visit(next)) else {
            throw TransportError(
                .tooManyRedirects, "Redirect loop: the target is a request that was sent before.", request: request,
                head: redirect.head)
        }
        var head = redirect.head
        head.redirects = []
        heads.append(head)
        request = next
        request.options.setFurtherRequest(.redirect)
    }

    /// The request to send after a redirect, with what is left of the total timeout.
    func nextRequest(now: Duration) throws(TransportError) -> HTTPRequest {
        guard let total else { return request }
        let rest = total - (now - started)
        guard rest > .zero else {
            var head = heads.last
            head?.redirects = heads.dropLast()
            let whole = request.options.timeouts.wholeTotal ?? total
            throw .timedOut(
                .total, "Timed out: the request and its redirects took longer than \(whole.secondsText).",
                request: request, head: head)
        }
        var request = request
        request.options.timeouts.reduceTotal(to: rest)
        return request
    }

    /// The head of a response, with the earlier redirects added.
    func finished(_ head: HTTPResponseHead) -> HTTPResponseHead {
        var head = head
        head.redirects = heads + head.redirects
        return head
    }

    /// An error of ``request``. After a redirect that is no request of the call, even with the same URL.
    func failure(_ error: any Error) -> any Error {
        guard !heads.isEmpty, var failure = error as? any AttemptListing else { return error }
        failure.originalRequest = .redirected
        return failure
    }

    private func refusal(_ error: HTTPMessageError, _ head: HTTPResponseHead) -> TransportError {
        var head = head
        head.redirects = heads
        return TransportError(
            .redirectRefused, "Redirect refused: \(error.message)", request: request, head: head,
            underlying: error)
    }
}

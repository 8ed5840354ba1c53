import Foundation
import HTTPMessages

/// The pages of a list, each loaded when it is read.
///
/// ```swift
/// for try await page in client.pages("orders", of: Orders.self, next: .cursor(\.after)) { show(page.value.orders) }
/// ```
///
/// One page is in memory at a time. Leaving the loop sends nothing more. Each loop begins with the first page. The
/// pages are those of one user: after a sign-out the next one is an error.
public struct Pages<Page: Decodable & Sendable>: AsyncSequence, Sendable {
    /// A page and the head of its response.
    public typealias Element = Response<Page>
    /// The errors of the calls, and ``PageError``.
    public typealias Failure = any Error

    let client: APIClient
    let endpoint: EndpointRequest<Page>
    let next: NextPage<Page>
    let limits: PageLimits

    /// Creates an iterator, which sends the first request when it is asked for the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// Loads one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case first
            case next(HTTPRequest)
            /// The page before was read; the next one has no request.
            case failed(any Error)
            case ended
        }

        private let pages: Pages
        private var state = State.first
        private var loop = LoopDetector()
        private var count = 0
        /// The origins of the pages once one was another, whose server may name the pages after it.
        private var visitedOrigins: Set<Origin> = []
        /// The origin of the first page.
        private var home: Origin?
        /// At the start. Each page is a call of its own, but of the user whose list it is.
        private let lastSignOut = SignOutClock.now

        init(pages: Pages) { self.pages = pages }

        /// Loads the next page; nil after the last one, and after an error.
        public mutating func next() async throws -> Response<Page>? { try await next(isolation: #isolation) }

        /// Loads the next page; nil after the last one, and after an error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Response<Page>? {
            var request: HTTPRequest
            switch state {
            case .ended: return nil
            case .failed(let error):
                state = .ended
                throw error
            case .first:
                state = .ended
                request = try pages.next.first(pages.client.pageRequest(for: pages.endpoint))
                home = request.origin
                _ = loop.isNew(request)
            case .next(let next):
                state = .ended
                request = next
            }
            request.options.call = OpenCall(lastSignOut: lastSignOut)
            let page = try await pages.client.response(to: request, as: Page.self, observer: nil)
            count += 1
            do {
                guard var next = try pages.next.request(after: page, request) else { return page }
                let isAway = isAway(next, after: page.head, of: request)
                try check(next, isAway, after: page.head, of: request)
                if isAway {
                    next.leave(request.origin, of: request)
                    visitedOrigins.formUnion((page.head.redirects + [page.head]).map { Origin($0.url) } + [next.origin])
                }
                next.options.visitedOrigins.formUnion(visitedOrigins)
                // Another origin has led back to it, and must not use its cookies either.
                if !visitedOrigins.isEmpty, next.origin == home { next.options.usesCookies = false }
                state = .next(next)
            } catch {
                // The page itself is good.
                state = .failed(error)
            }
            return page
        }

        /// True if the next page is at another origin, or one that a redirect led to has named its URL.
        private func isAway(_ next: HTTPRequest, after head: HTTPResponseHead, of request: HTTPRequest) -> Bool {
            if next.origin != request.origin { return true }
            return !head.redirects.isEmpty && !head.stayed(at: Origin(head.url)) && !next.keepsURL(of: request)
        }

        /// Checks the request of the next page before it is sent.
        private mutating func check(
            _ next: HTTPRequest, _ isAway: Bool, after head: HTTPResponseHead, of request: HTTPRequest
        ) throws(PageError) {
            guard pages.limits.allowsOtherOrigins || !isAway else {
                // The last other one, also if that has redirected back.
                let origins = (head.redirects + [head]).map { Origin($0.url) }
                let source = origins.last { $0 != request.origin } ?? request.origin
                throw PageError(
                    .otherOrigin,
                    "Page \(count + 1) at \(next.origin.text) is named by a page from or through \(source.text), the page before was requested at \(request.origin.text); set `PageLimits.allowsOtherOrigins` to load it, without this client's credentials.",
                    request: request)
            }
            guard loop.isNew(next) else {
                let remedy = pages.next.cursorParameter.map {
                    ", or the server ignores the parameter `\($0)`; pass its name by `.cursor(_:parameter:)`"
                }
                throw PageError(
                    .repeatedPage,
                    "Page \(count + 1) was loaded before: the server's pages form a loop\(remedy ?? "").",
                    request: next)
            }
            guard count < pages.limits.maximumPages else {
                throw PageError(
                    .tooManyPages,
                    "There are more than \(pages.limits.maximumPages) pages; raise `PageLimits.maximumPages`.",
                    request: next)
            }
        }
    }
}

/// Limits of a list of pages.
public struct PageLimits: Hashable, Sendable {
    /// The most pages; a further one is an error. Default 10,000.
    public var maximumPages: Int
    /// Whether a page may be on another origin than the one before; default false.
    ///
    /// Also whether an origin to which a page was redirected may name the URL of the next one.
    /// Such a page gets the fields of the one before, except those with secret names; a page after it does not get them
    /// back.
    /// Credentials for several origins are added by a layer: `authorizing(with:at:)`. Once another origin has led back
    /// to that of the first page, the layer adds one only if it allows both, and no cookies are sent.
    public var allowsOtherOrigins: Bool

    /// Creates limits.
    public init(maximumPages: Int = 10_000, allowsOtherOrigins: Bool = false) {
        self.maximumPages = maximumPages
        self.allowsOtherOrigins = allowsOtherOrigins
    }
}

/// Finds a request that was sent before: a set of the first 10,000 requests, then Brent's algorithm, which finds a
/// loop within three rounds of it in constant memory.
private struct LoopDetector {
    /// What a server can tell requests without a body apart by.
    private struct Key: Hashable {
        let method: HTTPMethod
        let url: String
        let fields: HTTPFields
    }

    private static let capacity = PageLimits().maximumPages
    private var known: Set<Key> = []
    private var remembered: Key?
    private var (steps, power) = (0, 1)

    /// False if the request was sent before. Those with a body are always new.
    mutating func isNew(_ request: HTTPRequest) -> Bool {
        guard request.body.isEmpty else { return true }
        let key = Key(method: request.method, url: request.url.absoluteString, fields: request.fields)
        guard known.count == Self.capacity else { return known.insert(key).inserted }
        if key == remembered || known.contains(key) { return false }
        steps += 1
        if steps == power {
            remembered = key
            (steps, power) = (0, power * 2)
        }
        return true
    }
}

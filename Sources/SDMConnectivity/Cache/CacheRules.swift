import Foundation
import HTTPCaching
import HTTPMessages

/// The vendor's policies over the rules of RFC 9111 (``HTTPCaching/ResponseRules``), without storage and clock.
///
/// Only explicit expiration counts, and only GET and status 200, as the vendor documents it.
struct CacheRules: Hashable, Sendable {
    /// What to do with a request.
    enum Action: Hashable, Sendable {
        case load
        case revalidate
        case use
    }

    /// What is cached for a request.
    enum Entry: Hashable, Sendable, CaseIterable {
        case missing
        case fresh
        /// Stale, with an `ETag` or a `Last-Modified`.
        case staleWithValidator
        case stale
    }

    /// The rules of RFC 9111.
    private var responses = ResponseRules()

    /// False to ignore `Cache-Control` and `Expires` of responses.
    var respectsCacheControl: Bool {
        get { responses.respectsCacheControl }
        set { responses.respectsCacheControl = newValue }
    }

    /// The action for a request that may use the cache.
    /// - Parameter policy: not `default`, which counts as `reloadIfDifferent`.
    static func action(_ policy: SDMCachePolicy, _ entry: Entry) -> Action {
        switch (policy, entry) {
        case (.ignore, _), (_, .missing): .load
        case (.onlyLoadIfNotCached, _), (.reloadIfDifferent, .fresh), (.default, .fresh): .use
        case (.useCacheIfLoadFails, .fresh), (_, .staleWithValidator): .revalidate
        case (_, .stale): .load
        }
    }

    private static let bypassing: Set = [
        "range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "x-csrf-token",
    ]

    /// True for a request whose response may come from the cache.
    static func isCacheable(_ request: HTTPMessages.HTTPRequest) -> Bool {
        request.method == .get && !request.fields.contains { bypassing.contains($0.name.canonicalName) }
            && !CacheControl(request.fields).noStore
    }

    /// True for a response that may be kept: a complete one of status 200, as the vendor documents it.
    func isStorable(_ head: HTTPResponseHead, for request: HTTPMessages.HTTPRequest) -> Bool {
        guard Self.isCacheable(request), head.status == .ok, !head.fields.contains(.contentRange) else { return false }
        // A variant by a secret field is not kept: its value would have to be stored to compare it.
        return ResponseRules.variant(of: request, by: head.fields) != nil && responses.isStorable(head, to: request)
    }

    /// The URLs whose cached responses a response to a write makes invalid.
    static func invalidatedURLs(by head: HTTPResponseHead, to request: HTTPMessages.HTTPRequest) -> [URL] {
        head.invalidatedURLs(by: request)
    }

    /// True for a response with `no-store`.
    func forbidsStoring(_ head: HTTPResponseHead) -> Bool { responses.forbidsStoring(head) }

    /// The time until which a response is fresh; nil if it is stale at once.
    func expiration(of head: HTTPResponseHead, secondsToCache: Double, receivedAt now: Date) -> Date? {
        if secondsToCache > 0 { return now.addingTimeInterval(min(secondsToCache, .century)) }
        return responses.lifetime(of: head, receivedAt: now).map { now.addingTimeInterval(max($0, -.century)) }
    }
}

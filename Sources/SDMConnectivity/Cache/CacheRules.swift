import Foundation
import HTTPMessages

/// The rules of a private cache for GET (RFC 9111), without storage and clock.
///
/// Only explicit expiration counts; there is no heuristic freshness.
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

    /// False to ignore `Cache-Control` and `Expires` of responses.
    var respectsCacheControl = true

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

    /// True for a response that may be kept.
    func isStorable(_ head: HTTPResponseHead, for request: HTTPMessages.HTTPRequest) -> Bool {
        guard Self.isCacheable(request), head.status == .ok, !head.fields.contains(.contentRange) else { return false }
        // That of a transport which has followed a redirect is not the response of this URL.
        guard let url = try? HTTPMessages.HTTPRequest(.get, head.url), url.cacheKey == request.cacheKey else {
            return false
        }
        // A variant by a secret field is not kept: its value would have to be stored to compare it.
        guard head.varyingNames.allSatisfy({ $0 != "*" && !Redaction.standard.isSecret($0) }) else { return false }
        return !forbidsStoring(head)
    }

    /// True for a response with `no-store`.
    func forbidsStoring(_ head: HTTPResponseHead) -> Bool {
        respectsCacheControl && CacheControl(head.fields).noStore
    }

    /// The time until which a response is fresh; nil if it is stale at once.
    func expiration(of head: HTTPResponseHead, secondsToCache: Double, receivedAt now: Date) -> Date? {
        if secondsToCache > 0 { return now.addingTimeInterval(min(secondsToCache, .century)) }
        guard respectsCacheControl else { return nil }
        let control = CacheControl(head.fields)
        guard !control.noCache, !head.fields.hasOldNoCache else { return nil }
        let stated = head.fields["Age"].flatMap { Double($0) } ?? 0
        let age = min(max(0, stated), .century)
        if let maximum = control.maxAge { return now.addingTimeInterval(maximum / .seconds(1) - age) }
        guard let expires = head.fields["Expires"].flatMap({ Date(rfc1123: $0) }) else { return nil }
        // The difference to the server's clock, because the clocks may differ.
        let sent = head.fields[.date].flatMap { Date(rfc1123: $0) } ?? now
        return now.addingTimeInterval(expires.timeIntervalSince(sent) - age)
    }
}

extension HTTPResponseHead {
    /// The lowercased names in `Vary`.
    var varyingNames: [String] {
        fields["Vary"]?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() } ?? []
    }
}

extension HTTPFields {
    /// True for the `Pragma: no-cache` of HTTP/1.0, which `Cache-Control` replaces (RFC 9111, section 5.4).
    fileprivate var hasOldNoCache: Bool {
        !contains(.cacheControl) && self["Pragma"]?.lowercased().contains("no-cache") ?? false
    }
}

public import HTTPMessages

/// Settings of the rules by which a cache stores and uses responses (RFC 9111).
public struct CacheRules: Hashable, Sendable {
    /// True for a cache that several users share, as in a server: it obeys `s-maxage`, `private` and
    /// `proxy-revalidate`, and stores responses to requests with `Authorization` only if they allow it. Default false.
    public var isShared = false
    /// The part of its age since `Last-Modified` for which a response without an explicit lifetime is fresh; default
    /// 10 %, 0 for never (RFC 9111, section 4.2.2).
    public var heuristicFraction = 0.1
    /// The longest such lifetime; default one day.
    public var maximumHeuristicLifetime = Duration.seconds(86_400)
    /// The time after its expiry for which a response is used in place of an error, unless it forbids that; default
    /// zero. The directive `stale-if-error` of a response comes first (RFC 5861).
    public var staleIfError = Duration.zero
    /// True to store `Set-Cookie` as RFC 9111 demands; default false: cookies are secrets.
    public var storesSetCookie = false

    /// The default rules: those of a private cache.
    public init() {}

    /// Default rules with changes.
    public init(_ change: (inout CacheRules) -> Void) {
        self.init()
        change(&self)
    }
}

private enum StaleIfErrorKey: RequestOptionKey { static let defaultValue: Duration? = nil }

extension RequestOptions {
    /// The time after its expiry for which a response may be used in place of an error; default nil: that of the
    /// response and of the cache.
    public var staleIfError: Duration? {
        get { self[StaleIfErrorKey.self] }
        set { self[StaleIfErrorKey.self] = newValue }
    }
}

/// How a request uses a cache; the names are those of Fetch's cache modes.
@nonexhaustive public enum CachePolicy: Hashable, Sendable {
    /// By the rules: fresh responses are used, stale ones are revalidated.
    case standard
    /// The response comes from the server, and is stored.
    case reload
    /// The cache is neither read nor written.
    case noStore
    /// A stored response is used also if it is stale, unless it forbids that; else the request is sent.
    case preferCached
    /// A stored response is used as with ``preferCached``; without one, the response is status 504, and nothing is
    /// sent.
    case onlyIfCached
}

private enum CachePolicyKey: RequestOptionKey { static let defaultValue = CachePolicy.standard }

extension RequestOptions {
    /// How the request uses a cache; default `.standard`.
    public var cachePolicy: CachePolicy {
        get { self[CachePolicyKey.self] }
        set { self[CachePolicyKey.self] = newValue }
    }
}

/// When a request uses its cache; the numbers are the vendor's.
///
/// Requests other than GET, and GETs with a `Range`, their own condition (`If-None-Match`, ...) or an `X-CSRF-Token`,
/// bypass the cache.
public enum SDMCachePolicy: Int, Hashable, Sendable, CaseIterable {
    /// The policy of the cache, ``SDMDownloadCache/defaultCachePolicy``.
    case `default` = 0
    /// Neither reads nor writes the cache.
    case ignore = 1
    /// Uses a fresh response, and asks the server whether a stale one has changed (`ETag`, `Last-Modified`).
    case reloadIfDifferent = 2
    /// Uses any cached response, also a stale one, and loads only without one.
    case onlyLoadIfNotCached = 3
    /// Asks the server, and uses the cached response if the request fails, unless the delegate has taken bytes of it.
    case useCacheIfLoadFails = 4
}

/// How long a cache keeps a response; the numbers are the vendor's.
public enum SDMCacheStoragePolicy: Int, Hashable, Sendable, CaseIterable {
    /// In memory, until the session is cleared or the process ends.
    case session = 0
    /// In files, until it is removed; that of a user also until the session is cleared. A response whose URL has a
    /// secret, such as `access_token`, is kept as ``session``.
    case permanent = 1
}

/// The cache settings of one request.
public struct SDMCacheOptions: Hashable, Sendable {
    /// When the cache is used.
    public var policy: SDMCachePolicy
    /// How long the response is kept.
    public var storage: SDMCacheStoragePolicy
    /// Seconds for which the response is fresh, regardless of its fields; 0 to follow its fields.
    public var secondsToCache: Double
    /// The user of the request, or a value that stands for it; nil if the server cannot tell users apart. A response of
    /// one user is not used for another, nor without a user.
    ///
    /// The first of: the user of the credentials that are sent, a digest of the cookies, the user that the app has set,
    /// a digest of other secret fields.
    public var user: String?

    /// Creates settings.
    public init(
        policy: SDMCachePolicy = .default, storage: SDMCacheStoragePolicy = .session, secondsToCache: Double = 0,
        user: String? = nil
    ) {
        self.policy = policy
        self.storage = storage
        self.secondsToCache = secondsToCache
        self.user = user
    }
}

/// Counts of a cache.
public struct CacheStatistics: Hashable, Sendable {
    /// Responses from the cache for which nothing was sent, stale ones included.
    public var hits = 0
    /// Requests for which nothing usable was stored.
    public var misses = 0
    /// Requests that were sent though a response was stored: it was stale, or the request did not accept it.
    public var revalidations = 0
    /// Requests that the cache does not answer, by their method, policy or fields.
    public var bypassed = 0
    /// Calls that got the response to the request of another call.
    public var collapsed = 0
    /// Stale responses that replaced an error.
    public var usedInPlaceOfErrors = 0
    /// Stored responses, updated ones included.
    public var stored = 0
    /// Responses that were evicted by the limits.
    public var evicted = 0
    /// Failures of the storage.
    public var failures = 0
    /// The number of stored responses.
    public var entries = 0
    /// The size of the stored responses in bytes.
    public var bytes = 0

    /// Creates counts of zero.
    public init() {}
}

/// The wait that a rate limit demands of a call.
public struct RateLimitWait: Hashable, Sendable {
    /// The limit.
    public let limit: RateLimit
    /// The key of the limit, such as `https://example.com:443`.
    public let key: String
    /// The wait that the call needs.
    public let wait: Duration
    /// The time that the call has: the rest of its total timeout, or ``RateLimiter/maximumWait``.
    public let timeLeft: Duration
}

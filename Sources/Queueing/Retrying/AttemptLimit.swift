import HTTPMessages

/// A fixed number of attempts per call; ``HTTPMessages/RequestOptions/maximumAttempts`` overrides it.
public struct AttemptLimit: RetryLimiter {
    /// The most attempts, the first included.
    public var count: Int

    /// A limit of `count` attempts.
    public init(_ count: Int) { self.count = count }

    /// True while fewer attempts than the limit were made.
    public func allowsRetry(after attempt: AttemptResult) -> Bool {
        attempt.number < attempt.request.options.maximumAttempts ?? count
    }
}

extension RetryLimiter where Self == AttemptLimit {
    /// At most `count` attempts per call, the first included, unless the request has its own limit.
    public static func attempts(_ count: Int) -> AttemptLimit { AttemptLimit(count) }
}

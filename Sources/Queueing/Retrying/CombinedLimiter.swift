/// Allows a retry that two limiters allow.
public struct CombinedLimiter<First: RetryLimiter, Second: RetryLimiter>: RetryLimiter {
    /// The limiter that is asked first.
    public var first: First
    /// The limiter that is asked if the first one allows the retry.
    public var second: Second

    /// A combination of two limiters.
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// True if both limiters allow the retry.
    public func allowsRetry(after attempt: AttemptResult) -> Bool {
        first.allowsRetry(after: attempt) && second.allowsRetry(after: attempt)
    }

    /// Passes the success to both limiters.
    public func recordSuccess() {
        first.recordSuccess()
        second.recordSuccess()
    }
}

extension RetryLimiter {
    /// Allows what two limiters allow: `.all(.attempts(3), budget)`.
    ///
    /// Put a budget second, so that it pays only for retries that the first one allows.
    public static func all<First, Second>(_ first: First, _ second: Second) -> Self
    where Self == CombinedLimiter<First, Second> {
        CombinedLimiter(first, second)
    }
}

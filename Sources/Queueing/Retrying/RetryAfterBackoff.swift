/// Honors `Retry-After`: the longer of the server's wait and another backoff.
///
/// A `Retry-After` of 0, or a date in the past, does not shorten the backoff. A server that asks for more than ``cap``
/// ends the call with ``AdmissionError`` (`retryAfterTooLong`).
public struct RetryAfterBackoff<Minimum: Backoff>: Backoff {
    /// The longest `Retry-After` that is honored.
    public var cap: Duration
    /// The backoff without `Retry-After`, and the shortest wait with it.
    public var minimum: Minimum

    /// A backoff that honors `Retry-After` up to a cap.
    public init(cap: Duration, minimum: Minimum) {
        self.cap = cap
        self.minimum = minimum
    }

    /// The cap.
    public var maximumRetryAfter: Duration? { cap }

    /// The longer of the backoff and the server's `Retry-After`.
    public func duration(after attempt: AttemptResult, random: Double) -> Duration {
        let backoff = minimum.duration(after: attempt, random: random)
        guard let retryAfter = attempt.retryAfter else { return backoff }
        return max(backoff, min(retryAfter, cap))
    }
}

extension Backoff {
    /// The server's `Retry-After`, at most `cap`, and at least the wait of another backoff.
    public static func retryAfter<Minimum>(cap: Duration, minimum: Minimum) -> Self
    where Self == RetryAfterBackoff<Minimum> {
        RetryAfterBackoff(cap: cap, minimum: minimum)
    }
}

/// Waits as long as the server asks (`Retry-After`), and at least as long as a backoff says.
///
/// A `Retry-After` of 0, or a date in the past, does not shorten the backoff. A server that asks for more than ``cap`` ends
/// the call with ``RetryError`` (`retryAfterTooLong`).
public struct RetryAfterDelay<Other: RetryDelay>: RetryDelay {
    /// The longest wait that a server may ask for.
    public var cap: Duration
    /// The backoff.
    public var other: Other

    /// A delay over a backoff.
    public init(cap: Duration, else other: Other) {
        self.cap = cap
        self.other = other
    }

    /// The cap.
    public var longestRetryAfter: Duration? { cap }

    /// The longer of the backoff and the wait that the server asks for.
    public func delay(after attempt: EndedAttempt, random: Double) -> Duration {
        let backoff = other.delay(after: attempt, random: random)
        guard let asked = attempt.retryAfter else { return backoff }
        return max(backoff, min(asked, cap))
    }
}

extension RetryDelay {
    /// Waits as long as the server asks, at most `cap`, and at least as long as another delay says.
    public static func retryAfter<Other>(cap: Duration, else other: Other) -> Self
    where Self == RetryAfterDelay<Other> {
        RetryAfterDelay(cap: cap, else: other)
    }
}

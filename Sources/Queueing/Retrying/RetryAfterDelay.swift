/// Waits as long as the server asks (`Retry-After`), and where it does not ask, as another delay says.
public struct RetryAfterDelay<Other: RetryDelay>: RetryDelay {
    /// What a wait that the server asks for is cut down to.
    public var cap: Duration
    /// The delay where nobody asks.
    public var other: Other

    /// A delay that does as it is asked, up to a cap.
    public init(cap: Duration, else other: Other) {
        self.cap = cap
        self.other = other
    }

    /// What was asked for, else what the other delay says.
    public func delay(after attempt: EndedAttempt, random: Double) -> Duration {
        attempt.retryAfter.map { min($0, cap) } ?? other.delay(after: attempt, random: random)
    }
}

extension RetryDelay {
    /// Waits as long as the server asks, at most `cap`; where it does not ask, as another delay says.
    public static func retryAfter<Other>(cap: Duration, else other: Other) -> Self
    where Self == RetryAfterDelay<Other> {
        RetryAfterDelay(cap: cap, else: other)
    }
}

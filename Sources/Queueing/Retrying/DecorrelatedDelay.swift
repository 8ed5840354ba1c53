import Transport

/// Waits any time from `base` to three times the wait before: grows as fast as ``ExponentialDelay``, never waits less
/// than `base`, and spreads clients more, because their waits soon have nothing in common.
public struct DecorrelatedDelay: RetryDelay {
    /// The shortest wait.
    public var base: Duration
    /// What no wait is longer than.
    public var cap: Duration

    /// Delays between these bounds.
    public init(base: Duration, cap: Duration) {
        self.base = base
        self.cap = cap
    }

    /// A random time that depends on the wait before.
    public func delay(after attempt: EndedAttempt, random: Double) -> Duration {
        let shortest = base.bounded.inSeconds
        let longest = max(shortest, (attempt.earlier.last?.delay?.bounded.inSeconds ?? shortest) * 3)
        return min(.boundedSeconds(shortest + (longest - shortest) * random), cap.bounded)
    }
}

extension RetryDelay where Self == DecorrelatedDelay {
    /// Waits any time from `base` to three times the wait before, up to `cap`.
    public static func decorrelated(base: Duration, cap: Duration) -> DecorrelatedDelay {
        DecorrelatedDelay(base: base, cap: cap)
    }
}

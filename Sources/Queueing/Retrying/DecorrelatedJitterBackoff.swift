import Transport

/// Exponential backoff with decorrelated jitter: a random wait from `base` to three times the previous wait.
///
/// It grows as fast as ``ExponentialBackoff`` and is never shorter than `base`. Clients spread further, since their
/// waits soon become independent.
public struct DecorrelatedJitterBackoff: Backoff {
    /// The shortest wait.
    public var base: Duration
    /// The longest wait.
    public var cap: Duration

    /// A backoff between two bounds.
    public init(base: Duration, cap: Duration) {
        self.base = base
        self.cap = cap
    }

    /// A random wait that depends on the previous one.
    public func duration(after attempt: AttemptResult, random: Double) -> Duration {
        let shortest = base.bounded.inSeconds
        let longest = max(shortest, (attempt.previousAttempts.last?.backoff?.bounded.inSeconds ?? shortest) * 3)
        return min(.boundedSeconds(shortest + (longest - shortest) * random), cap.bounded)
    }
}

extension Backoff where Self == DecorrelatedJitterBackoff {
    /// A random wait from `base` to three times the previous wait, at most `cap`.
    public static func decorrelatedJitter(base: Duration, cap: Duration) -> DecorrelatedJitterBackoff {
        DecorrelatedJitterBackoff(base: base, cap: cap)
    }
}

import Foundation

/// Waits up to twice as long each time, with full jitter: any time from zero to that is as likely as any other, so that
/// clients that failed together do not come back together.
public struct ExponentialDelay: RetryDelay {
    /// The longest wait after the first attempt.
    public var base: Duration
    /// What no wait is longer than.
    public var cap: Duration

    /// Delays between these bounds.
    public init(base: Duration, cap: Duration) {
        self.base = base
        self.cap = cap
    }

    /// A random part of the longest wait after this attempt.
    public func delay(after attempt: EndedAttempt, random: Double) -> Duration {
        .boundedSeconds(longest(after: attempt.number).inSeconds * random)
    }

    /// The longest wait after an attempt, counted from 1: the base, twice that, four times that, up to the cap.
    func longest(after number: Int) -> Duration {
        min(.boundedSeconds(base.inSeconds * pow(2, Double(number - 1))), cap.bounded)
    }
}

extension RetryDelay where Self == ExponentialDelay {
    /// Waits up to `base`, then up to twice that and so on, up to `cap`; each wait is a random part of that.
    public static func exponential(base: Duration, cap: Duration) -> ExponentialDelay {
        ExponentialDelay(base: base, cap: cap)
    }
}

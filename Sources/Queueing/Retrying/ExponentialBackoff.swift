import Foundation

/// Exponential backoff with full jitter: a random wait from zero to a bound that doubles with each attempt.
///
/// Full jitter keeps clients that failed together from retrying together.
public struct ExponentialBackoff: Backoff {
    /// The longest wait after the first attempt.
    public var base: Duration
    /// The longest wait after any attempt.
    public var cap: Duration

    /// A backoff between two bounds.
    public init(base: Duration, cap: Duration) {
        self.base = base
        self.cap = cap
    }

    /// A random fraction of the longest wait after this attempt.
    public func duration(after attempt: AttemptResult, random: Double) -> Duration {
        .boundedSeconds(longest(after: attempt.number).inSeconds * random)
    }

    /// The longest wait after an attempt, counted from 1: `base`, twice `base`, four times `base`, up to `cap`.
    func longest(after number: Int) -> Duration {
        min(.boundedSeconds(base.inSeconds * pow(2, Double(number - 1))), cap.bounded)
    }
}

extension Backoff where Self == ExponentialBackoff {
    /// A random wait up to `base`, then up to twice `base` and so on, at most `cap`.
    public static func exponential(base: Duration, cap: Duration) -> ExponentialBackoff {
        ExponentialBackoff(base: base, cap: cap)
    }
}

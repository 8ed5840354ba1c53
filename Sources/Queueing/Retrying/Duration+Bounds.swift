extension Duration {
    /// The upper bound of all waits, 100 years, so that sums of durations cannot overflow.
    static let longestWait = Duration.seconds(100 * 365 * 86_400)

    /// The duration, clamped to zero and ``longestWait``.
    var bounded: Duration { min(max(self, .zero), .longestWait) }

    /// A number of seconds, clamped to zero and ``longestWait``; NaN is zero.
    static func boundedSeconds(_ seconds: Double) -> Duration {
        guard seconds > 0 else { return .zero }
        return seconds < longestWait.inSeconds ? .seconds(seconds) : .longestWait
    }

    /// The number of seconds.
    var inSeconds: Double { self / .seconds(1) }
}

import HTTPMessages

extension Duration {
    /// The upper bound of all waits.
    static let longestWait = Duration.century

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

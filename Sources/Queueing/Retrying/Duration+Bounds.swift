extension Duration {
    /// What no wait is longer than, so that sums of durations cannot overflow: a hundred years.
    static let longestWait = Duration.seconds(100 * 365 * 86_400)

    /// At least zero, at most ``longestWait``.
    var bounded: Duration { min(max(self, .zero), .longestWait) }

    /// The duration of any number of seconds, brought within these bounds; not a number is zero.
    static func boundedSeconds(_ seconds: Double) -> Duration {
        guard seconds > 0 else { return .zero }
        return seconds < longestWait.inSeconds ? .seconds(seconds) : .longestWait
    }

    /// The duration as a number of seconds.
    var inSeconds: Double { self / .seconds(1) }
}

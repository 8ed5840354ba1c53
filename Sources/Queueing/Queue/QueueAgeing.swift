/// How waiting makes up for a low priority, so that nothing waits forever.
///
/// The effective level of something that waits is its own level plus one for each `interval` that it has waited, in
/// fractions too. So a level is worth a head start of one interval: with an interval of a second, what came at level 0
/// goes before what came at level 100 a hundred seconds later or more, and never before what came at level 100 at the
/// same time. Within a level it stays first come, first served.
///
/// Because everything ages at the same pace, the order among those who wait never changes, and keeping it costs no more
/// than it does without ageing.
public struct QueueAgeing: Hashable, Sendable {
    /// How long a wait makes up for one level. Less than a nanosecond counts as a nanosecond.
    public let interval: Duration

    /// Ageing by one level for each interval.
    public static func oneLevel(every interval: Duration) -> QueueAgeing { QueueAgeing(interval: interval) }

    /// When something would have had to come at level 0 to have the same place, in nanoseconds. Head starts of centuries
    /// are cut short.
    func start(level: Int, arrival: Int64) -> Int64 {
        let (headStart, isTooMuch) = Int64(level).multipliedReportingOverflow(by: max(1, interval.nanoseconds))
        let (start, isTooFar) = arrival.subtractingReportingOverflow(headStart)
        return isTooMuch || isTooFar ? (level < 0 ? .max : .min) : start
    }
}

extension Duration {
    /// Whole nanoseconds, rounded down; what is more or less than 64 bits can count is the most or least they can.
    var nanoseconds: Int64 {
        guard self < .nanoseconds(Int64.max) else { return .max }
        guard self > .nanoseconds(Int64.min) else { return .min }
        // Both parts have the sign of the whole.
        let (seconds, attoseconds) = components
        let (nanoseconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * 1_000_000_000 + nanoseconds - (rest < 0 ? 1 : 0)
    }
}

/// Priority aging: a waiting item gains one priority level per interval, which prevents starvation.
///
/// The effective level is the item's level plus its waiting time divided by `interval`, fractions included. A level is
/// therefore worth a head start of one interval: at an interval of one second, an item of level 0 starts before items
/// of level 100 that were submitted 100 seconds later or more. Within a level the order stays first in, first out.
///
/// All items age at the same pace, so the order of waiting items never changes, and aging costs nothing.
public struct PriorityAging: Hashable, Sendable {
    /// The waiting time that is worth one level; at least one nanosecond.
    public let interval: Duration

    /// Aging by one level per interval.
    public init(interval: Duration) { self.interval = interval }

    /// The arrival time at which an item of level 0 would have the same priority, in nanoseconds; clamped to 64 bits.
    func effectiveArrival(level: Int, arrival: Int64) -> Int64 {
        let (headStart, isTooMuch) = Int64(level).multipliedReportingOverflow(by: max(1, interval.nanoseconds))
        let (start, isTooFar) = arrival.subtractingReportingOverflow(headStart)
        return isTooMuch || isTooFar ? (level < 0 ? .max : .min) : start
    }
}

extension Duration {
    /// Whole nanoseconds, rounded down and clamped to 64 bits.
    var nanoseconds: Int64 {
        guard self < .nanoseconds(Int64.max) else { return .max }
        guard self > .nanoseconds(Int64.min) else { return .min }
        // Both components have the sign of the duration.
        let (seconds, attoseconds) = components
        let (nanoseconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * 1_000_000_000 + nanoseconds - (rest < 0 ? 1 : 0)
    }
}

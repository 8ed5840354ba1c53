/// How much of a queue may run and wait.
///
/// ```swift
/// var limits = QueueLimits(running: 16, runningPerKey: 4)
/// limits.waiting = 1000
/// limits.whenFull = .reject
/// ```
public struct QueueLimits: Hashable, Sendable {
    /// What happens to an item that comes when as many wait as may.
    public enum Overflow: Hashable, Sendable {
        /// It is held before the door: it takes its turn like those that wait, but counts as accepted only once there
        /// is room. The bound holds submitters back and never changes the order.
        case wait
        /// It is refused.
        case reject
        /// Of those that wait, the oldest of the lowest priority is dropped for it. When it is of a lower priority than
        /// all of them it is refused itself.
        case dropOldest
    }

    /// How many may run at a time in all; less than 1 counts as 1. Default 64.
    public var running: Int
    /// How many may run at a time for one key, such as an origin; less than 1 counts as 1. Default 32.
    public var runningPerKey: Int
    /// How many may wait; less than 0 counts as 0, with which nothing waits that cannot run at once. Default any number.
    public var waiting: Int
    /// What happens when as many wait as may. Default ``Overflow/wait``.
    public var whenFull: Overflow

    /// Limits; what is left out has its default.
    public init(
        running: Int = 64, runningPerKey: Int = 32, waiting: Int = .max, whenFull: Overflow = .wait
    ) {
        self.running = running
        self.runningPerKey = runningPerKey
        self.waiting = waiting
        self.whenFull = whenFull
    }
}

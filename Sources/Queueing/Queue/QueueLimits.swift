/// Concurrency limits and capacity of a queue.
///
/// ```swift
/// var limits = QueueLimits(maximumConcurrent: 16, maximumConcurrentPerKey: 4)
/// limits.capacity = 1000
/// limits.overflowPolicy = .reject
/// ```
public struct QueueLimits: Hashable, Sendable {
    /// The treatment of items that are submitted to a full queue.
    @nonexhaustive public enum OverflowPolicy: Hashable, Sendable {
        /// Suspends the submitter (back-pressure) until there is capacity; the order of items is unaffected.
        case suspend
        /// Rejects the new item.
        case reject
        /// Drops the oldest waiting item of the lowest priority, or rejects the new item if its priority is lower
        /// still.
        case dropOldest
    }

    /// The most items that run at a time; at least 1, default 64.
    public var maximumConcurrent: Int
    /// The most items of one key, such as an origin, that run at a time; at least 1, default 32.
    public var maximumConcurrentPerKey: Int
    /// The most items that wait; default unlimited. With 0 or less, no item waits.
    public var capacity: Int
    /// The treatment of items beyond the capacity; default ``OverflowPolicy/suspend``.
    public var overflowPolicy: OverflowPolicy

    /// Limits with the defaults of their properties.
    public init(
        maximumConcurrent: Int = 64, maximumConcurrentPerKey: Int = 32, capacity: Int = .max,
        overflowPolicy: OverflowPolicy = .suspend
    ) {
        self.maximumConcurrent = maximumConcurrent
        self.maximumConcurrentPerKey = maximumConcurrentPerKey
        self.capacity = capacity
        self.overflowPolicy = overflowPolicy
    }
}

public import HTTPMessages

/// What a queue holds at one moment.
public struct QueueSnapshot<Key: Sendable>: Sendable {
    /// One item.
    public struct Entry: Sendable {
        /// The item's name.
        public let id: QueueItemID
        /// What it shares a limit with.
        public let key: Key
        /// The priority that it was submitted with.
        public let priority: RequestPriority
        /// The tag that it was submitted with.
        public let tag: String?
        /// How long ago it was submitted.
        public let age: Duration
        /// True when it waits and is not accepted yet; see ``QueueLimits/Overflow/wait``.
        public let isHeld: Bool
        /// True when it runs and was cancelled.
        public let isStopping: Bool
    }

    /// What runs, in the order in which it started.
    public let running: [Entry]
    /// What waits, in the order in which it would go if each key had room.
    public let waiting: [Entry]
    /// The limits.
    public let limits: QueueLimits
    /// True while nothing new starts.
    public let isPaused: Bool
    /// True once nothing new is taken.
    public let isDraining: Bool
}

extension QueueSnapshot: Equatable where Key: Equatable {}
extension QueueSnapshot.Entry: Equatable where Key: Equatable {}

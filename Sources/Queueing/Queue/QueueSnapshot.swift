public import HTTPMessages

/// What a queue holds at one moment.
public struct QueueSnapshot<Key: Sendable>: Sendable {
    /// One item.
    public struct Entry: Sendable {
        /// The item's name.
        public let id: QueueItemID
        /// What it shares a limit with; in a ``RequestQueue`` the origin of the request, such as `http://example.com:80`.
        public let key: Key
        /// The method of the request in a ``RequestQueue``, nil in a ``WorkQueue``. No more is told of a request, because
        /// its path and its query may hold secrets; its tag may tell it from others.
        public let method: HTTPMethod?
        /// The priority that it was submitted with.
        public let priority: RequestPriority
        /// The tag that it was submitted with.
        public let tag: String?
        /// How long ago it was submitted.
        public let age: Duration
        /// True when it waits and is not accepted yet; see ``QueueLimits/Overflow/wait``.
        public let isHeld: Bool
        /// True when it runs, was cancelled and has been told to stop. What cannot be stopped never shows this.
        public let isStopping: Bool
    }

    /// What runs, in the order in which it started.
    public let running: [Entry]
    /// What waits, in the order in which it would go if each key had room.
    public let waiting: [Entry]
    /// The limits.
    public let limits: QueueLimits
    /// Why nothing new starts; empty while the queue is not paused.
    public let pauses: Set<PauseReason>
    /// True once nothing new is taken.
    public let isDraining: Bool

    /// True while nothing new starts.
    public var isPaused: Bool { !pauses.isEmpty }
}

extension QueueSnapshot: Equatable where Key: Equatable {}
extension QueueSnapshot.Entry: Equatable where Key: Equatable {}

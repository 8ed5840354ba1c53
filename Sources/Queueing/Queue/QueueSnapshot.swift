public import HTTPMessages

/// The contents of a queue at one moment.
public struct QueueSnapshot<Key: Sendable>: Sendable {
    /// One item.
    public struct Entry: Sendable {
        /// The item's ID.
        public let id: QueueItemID
        /// The key of the per-key limit; in a ``RequestQueue`` the origin, such as `http://example.com:80`.
        public let key: Key
        /// The request method in a ``RequestQueue``, nil in a ``WorkQueue``. Path and query are left out, since they
        /// may hold secrets; use the tag to tell requests apart.
        public let method: HTTPMethod?
        /// The priority, without aging.
        public let priority: RequestPriority
        /// The tag, or nil.
        public let tag: String?
        /// The time since submission.
        public let age: Duration
        /// True while the submitter is suspended; see ``QueueLimits/OverflowPolicy/suspend``.
        public let isSuspended: Bool
        /// True if the item runs and has been told to stop. Always false for items that cannot be cancelled.
        public let isCancelling: Bool
    }

    /// The running items, in order of their start.
    public let running: [Entry]
    /// The waiting items, in the order of starting if no key were at its limit.
    public let waiting: [Entry]
    /// The limits.
    public let limits: QueueLimits
    /// The reasons for being paused; empty while the queue is not paused.
    public let pauseReasons: Set<PauseReason>
    /// True once the queue rejects new items.
    public let isDraining: Bool

    /// True while nothing new starts.
    public var isPaused: Bool { !pauseReasons.isEmpty }
}

extension QueueSnapshot: Equatable where Key: Equatable {}
extension QueueSnapshot.Entry: Equatable where Key: Equatable {}

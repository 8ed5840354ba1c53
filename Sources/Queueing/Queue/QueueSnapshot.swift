public import HTTPMessages

/// The contents of a ``RequestQueue`` at one moment.
public struct QueueSnapshot: Hashable, Sendable {
    /// One request.
    public struct Entry: Hashable, Sendable {
        /// The request's ID.
        public let id: QueueItemID
        /// The origin, such as `http://example.com:80`: the key of ``QueueLimits/maximumConcurrentPerKey``.
        public let origin: String
        /// The request method. Path and query are left out, since they may hold secrets; use the tag to tell requests
        /// apart.
        public let method: HTTPMethod
        /// The priority, without aging.
        public let priority: RequestPriority
        /// The tag, or nil.
        public let tag: String?
        /// The time since submission.
        public let age: Duration
        /// True while the submitter is suspended; see ``QueueLimits/OverflowPolicy/suspend``.
        public let isSuspended: Bool
        /// True if the request runs and has been told to stop. Always false for requests that cannot be cancelled.
        public let isCancelling: Bool
    }

    /// The running requests, in order of their start.
    public let running: [Entry]
    /// The waiting requests, in the order of starting if no origin were at its limit.
    public let waiting: [Entry]
    /// The limits.
    public let limits: QueueLimits
    /// The reasons for being paused; empty while the queue is not paused.
    public let pauseReasons: Set<PauseReason>
    /// True once the queue rejects new requests.
    public let isDraining: Bool

    /// True while nothing new starts.
    public var isPaused: Bool { !pauseReasons.isEmpty }
}

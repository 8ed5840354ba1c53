import HTTPMessages

/// A queue of work as a state machine: takes what happens, says what to do. It does no work itself, and knows no lock, no
/// thread and no clock.
///
/// ```swift
/// var queue = WorkQueue<Job, String>(limits: QueueLimits(running: 4, runningPerKey: 2))
/// let (admission, actions) = queue.submit(job, key: host, priority: .immediate, now: elapsed)
/// if case .started(let id) = admission { run(job, id) }
/// for action in queue.finish(id) { perform(action) }
/// ```
///
/// Of those whose key has room, the highest priority goes first, and within a priority the one that came first;
/// ``QueueAgeing`` lets a long wait count too. Every item that is not refused ends exactly once: by
/// ``Action/end(_:_:_:)`` while it waits, or by the caller's ``finish(_:)`` once it has started.
///
/// Each event takes logarithmic time at most, averaged over many, for each item that it starts or ends.
/// ``setLimits(_:)`` takes time for each key. Times are durations since a moment of the caller's; one that is earlier than
/// one before counts as that.
public struct WorkQueue<Item, Key: Hashable> {
    /// Names one item.
    public typealias ID = QueueItemID

    /// What became of an item that was submitted.
    public enum Admission: Hashable, Sendable {
        /// It is to start now; call ``WorkQueue/finish(_:)`` when it is done, however it ends.
        case started(ID)
        /// It waits for its turn.
        case waiting(ID)
        /// It waits for its turn, and is accepted once there is room; see ``QueueLimits/Overflow/wait``.
        case held(ID)
        /// It is not in the queue: as many wait as may.
        case full
        /// It is not in the queue, which takes nothing any more.
        case draining

        /// The item's name, or nil when it was not taken.
        public var id: ID? {
            switch self {
            case .started(let id), .waiting(let id), .held(let id): id
            case .full, .draining: nil
            }
        }
    }

    /// Why an item ended that had not started.
    public enum Ending: Hashable, Sendable {
        /// Somebody cancelled it.
        case cancelled
        /// Its deadline has come.
        case expired
        /// It made room for a newer one.
        case dropped
    }

    /// Something to do.
    public enum Action {
        /// The item is to start now; call ``WorkQueue/finish(_:)`` when it is done, however it ends.
        case start(ID, Item)
        /// The item was held, and is accepted now.
        case accept(ID, Item)
        /// The item has ended without having started.
        case end(ID, Item, Ending)
        /// The item runs and was cancelled: stop it. It counts as running until ``WorkQueue/finish(_:)``.
        case stop(ID, Item)
        /// The queue drains, and nothing is left. Said once.
        case drained
    }

    /// The limits; see ``setLimits(_:)``.
    public internal(set) var limits: QueueLimits
    /// How long waits count, or nil.
    public let ageing: QueueAgeing?
    /// How many run.
    public var runningCount: Int { places.runningCount }
    /// How many wait, those included that are held.
    public var waitingCount: Int { places.waitingCount }
    /// True while nothing new starts.
    public internal(set) var isPaused = false
    /// True once nothing new is taken.
    public internal(set) var isDraining = false
    /// True once nothing new is taken, and nothing is left.
    public var isDrained: Bool { isDraining && isEmpty }
    var isEmpty: Bool { runningCount == 0 && waitingCount == 0 }

    var places = PlaceTable<Item>()
    var keys = KeyLoads<Key>()
    var tags = TagIndex()
    var line: WaitingLine
    var hasSaidDrained = false
    var deadlines = DeadlineHeap()
    /// The latest time that was said, in nanoseconds.
    var now: Int64 = .min

    /// An empty queue.
    /// - Parameter ageing: lets a long wait count, or nil for priorities alone.
    public init(limits: QueueLimits = QueueLimits(), ageing: QueueAgeing? = nil) {
        self.limits = limits
        self.ageing = ageing
        line = WaitingLine(ageing: ageing)
    }
}

extension WorkQueue: Sendable where Item: Sendable, Key: Sendable {}
extension WorkQueue.Action: Sendable where Item: Sendable {}

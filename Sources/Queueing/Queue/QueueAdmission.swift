/// What became of an item that was submitted.
public enum QueueAdmission: Hashable, Sendable {
    /// It is to start now; call ``WorkQueue/finish(_:)`` when it is done, however it ends.
    case started(QueueItemID)
    /// It waits for its turn.
    case waiting(QueueItemID)
    /// It waits for its turn, and is accepted once there is room; see ``QueueLimits/Overflow/wait``.
    case held(QueueItemID)
    /// It is not in the queue: as many wait as may.
    case full
    /// It is not in the queue, which takes nothing any more.
    case draining

    /// The item's name, or nil when it was not taken.
    public var id: QueueItemID? {
        switch self {
        case .started(let id), .waiting(let id), .held(let id): id
        case .full, .draining: nil
        }
    }
}

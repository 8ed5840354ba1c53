/// The outcome of submitting an item.
package enum SubmissionResult: Hashable, Sendable {
    /// Start the item now, and call ``WorkQueue/finish(_:)`` when it is done, regardless of its outcome.
    case started(QueueItemID)
    /// The item waits for a slot.
    case waiting(QueueItemID)
    /// The item waits for a slot, beyond the capacity; see ``QueueLimits/OverflowPolicy/suspend``.
    case suspended(QueueItemID)
    /// The queue is full and rejected the item.
    case full
    /// The queue is draining and rejected the item.
    case draining

    /// The item's ID, or nil if it was rejected.
    package var id: QueueItemID? {
        switch self {
        case .started(let id), .waiting(let id), .suspended(let id): id
        case .full, .draining: nil
        }
    }
}

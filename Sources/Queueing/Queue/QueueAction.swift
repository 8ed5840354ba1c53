/// An action that a ``WorkQueue`` requests from its caller; each but the last one is about one item.
///
/// `Subject` identifies the item: its ID in the ``Schedule``, its ID and value in the ``WorkQueue``.
package enum QueueAction<Subject> {
    /// Start the item, and call ``WorkQueue/finish(_:)`` when it is done, regardless of its outcome.
    case start(Subject)
    /// Resume the submitter of the item: the item was suspended, and the queue has capacity again.
    case admit(Subject)
    /// Stop the running item. It counts as running until ``WorkQueue/finish(_:)``.
    case cancelRunning(Subject)
    /// Report the item as cancelled; it left the queue without starting.
    case cancel(Subject)
    /// Report the item as expired: its deadline has passed, and it left the queue without starting.
    case expire(Subject)
    /// Report the item as dropped: a newer one took its place in a full queue.
    case drop(Subject)
    /// The queue is draining and has become empty. Reported once.
    case drained
}

extension QueueAction: Equatable where Subject: Equatable {}
extension QueueAction: Sendable where Subject: Sendable {}

extension QueueAction {
    /// True if the action ends an item, or requests the end of a running one.
    var endsItem: Bool {
        switch self {
        case .cancelRunning, .cancel, .expire, .drop: true
        case .start, .admit, .drained: false
        }
    }
}

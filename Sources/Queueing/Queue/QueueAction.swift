/// An action that a ``WorkQueue`` requests from its caller.
public enum QueueAction<Item> {
    /// Start the item, and call ``WorkQueue/finish(_:)`` when it is done, regardless of its outcome.
    case start(QueueItemID, Item)
    /// Resume the submitter of the item: the item was suspended, and the queue has capacity again.
    case admit(QueueItemID, Item)
    /// Report the item as cancelled, expired or dropped; it left the queue without starting.
    case discard(QueueItemID, Item, CancellationReason)
    /// Stop the running item. It counts as running until ``WorkQueue/finish(_:)``.
    case cancel(QueueItemID, Item)
    /// The queue is draining and has become empty. Reported once.
    case drained
}

/// The reason for discarding an item that had not started.
public enum CancellationReason: Hashable, Sendable {
    /// A call of one of the `cancel` methods.
    case cancelled
    /// Its deadline.
    case expired
    /// A newer item took its place in a full queue.
    case dropped
}

extension QueueAction: Sendable where Item: Sendable {}

extension QueueAction {
    /// True if the action discards or cancels an item.
    var endsItem: Bool {
        switch self {
        case .cancel, .discard: true
        case .start, .admit, .drained: false
        }
    }
}

/// Something that a ``WorkQueue`` wants done.
public enum QueueAction<Item> {
    /// The item is to start now; call ``WorkQueue/finish(_:)`` when it is done, however it ends.
    case start(QueueItemID, Item)
    /// The item was held, and is accepted now.
    case accept(QueueItemID, Item)
    /// The item has ended without having started.
    case end(QueueItemID, Item, QueueEnding)
    /// The item runs, can be stopped and was cancelled: stop it. It counts as running until ``WorkQueue/finish(_:)``.
    case stop(QueueItemID, Item)
    /// The queue drains, and nothing is left. Said once.
    case drained
}

/// Why an item ended that had not started.
public enum QueueEnding: Hashable, Sendable {
    /// Somebody cancelled it.
    case cancelled
    /// Its deadline has come.
    case expired
    /// It made room for a newer one.
    case dropped
}

extension QueueAction: Sendable where Item: Sendable {}

extension QueueAction {
    /// True when the item has ended without having started, or is to stop.
    var isCancelling: Bool {
        switch self {
        case .stop, .end: true
        case .start, .accept, .drained: false
        }
    }
}

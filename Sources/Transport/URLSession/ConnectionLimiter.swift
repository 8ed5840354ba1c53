import HTTPMessages

/// A limit of concurrent connections per origin, with a FIFO of waiting items.
///
/// URLSession has such a queue too, but counts the wait in it as part of the request's timeout.
struct ConnectionLimiter<Item> {
    /// One origin's slots in use, and a two-stack FIFO of the waiting items.
    ///
    /// An array slice would dequeue as fast, but keeps dequeued items alive.
    private struct OriginQueue {
        var running = 0
        /// The oldest items, in reverse order.
        var next: [Item] = []
        /// The newer items, in order.
        var added: [Item] = []
        var purgeThreshold = 64

        mutating func append(_ item: Item, purging isCancelled: (Item) -> Bool) {
            added.append(item)
            // Cancelled items would otherwise pile up until a slot is released. Doubling makes the cost amortized O(1).
            guard added.count >= purgeThreshold else { return }
            added.removeAll(where: isCancelled)
            purgeThreshold = max(64, added.count * 2)
        }

        mutating func popFirst() -> Item? {
            if next.isEmpty {
                next = added.reversed()
                added = []
            }
            return next.popLast()
        }
    }

    private let limit: Int
    private let isCancelled: (Item) -> Bool
    private var queues: [Origin: OriginQueue] = [:]

    /// - Parameter isCancelled: true for items that need no slot any more.
    init(limit: Int, isCancelled: @escaping (Item) -> Bool) {
        self.limit = max(1, limit)
        self.isCancelled = isCancelled
    }

    /// The number of waiting items, including cancelled ones that are not purged yet.
    var waitingCount: Int { queues.values.reduce(0) { $0 + $1.next.count + $1.added.count } }

    /// Returns true when the item has a slot; otherwise it is enqueued.
    mutating func acquire(_ origin: Origin, for item: Item) -> Bool {
        guard queues[origin, default: OriginQueue()].running < limit else {
            queues[origin]?.append(item, purging: isCancelled)
            return false
        }
        queues[origin, default: OriginQueue()].running += 1
        return true
    }

    /// Releases a slot.
    /// - Returns: the item that takes over the slot and must be started, or nil.
    mutating func release(_ origin: Origin) -> Item? {
        while let next = queues[origin]?.popFirst() {
            if !isCancelled(next) { return next }
        }
        queues[origin]?.running -= 1
        if queues[origin]?.running == 0 { queues[origin] = nil }
        return nil
    }
}

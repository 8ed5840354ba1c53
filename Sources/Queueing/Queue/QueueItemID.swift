import Synchronization

/// Names one item of one queue; never used again, and no other queue of the program knows it.
public struct QueueItemID: Hashable, Sendable {
    /// The number of its queue.
    let queue: UInt32
    let slot: Int32
    /// How many items had come to its queue, with this one.
    let serial: UInt64
}

/// The number of the queue that was made last.
private let lastQueue = Atomic<UInt32>(0)

extension QueueItemID {
    /// A number for a queue of its own.
    static func makeQueue() -> UInt32 { lastQueue.wrappingAdd(1, ordering: .relaxed).newValue }
}

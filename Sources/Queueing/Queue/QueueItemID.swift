import Synchronization

/// The identity of one item of one queue, unique in the process.
public struct QueueItemID: Hashable, Sendable {
    /// The number of its queue.
    let queue: UInt32
    let slot: Int32
    /// The position in the order of submission to its queue, from 1.
    let serial: UInt64
}

private let lastQueue = Atomic<UInt32>(0)

extension QueueItemID {
    /// A new queue number.
    static func makeQueue() -> UInt32 { lastQueue.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Names one item of one queue; never used again.
public struct QueueItemID: Hashable, Sendable {
    let slot: Int
    /// How many items came before it.
    let serial: UInt64
}

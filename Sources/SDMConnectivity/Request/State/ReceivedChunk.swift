import Delegation

/// What follows from a received part of the body, to be done without the lock.
struct ReceivedChunk: Sendable {
    /// The number of bytes so far.
    let total: Int64
    /// True if the body exceeds the limit in memory; the part is not kept then.
    let isTooLarge: Bool
    /// The delegate that may take the part; nil if it does not.
    let delegate: WeakTarget?
    let report: ProgressReport
}

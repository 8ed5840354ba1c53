import Delegation
import Transport

/// What follows from a change of the progress, to be done without the lock.
struct ProgressReport: Sendable {
    let direction: TransferProgress.Direction
    let changes: [ProgressChange]
    /// When the request's delegate is to be called; nil if not.
    let due: ProgressMeters.Due?
    /// The queue whose progress this is; nil without one.
    let queue: SDMNetworkQueue?
}

import Delegation
import Foundation
import Transport

/// The progress of a request, and its delegates.
struct RequestProgress: Sendable {
    var uploadDelegate: WeakTarget
    var downloadDelegate: WeakTarget
    /// Nil before they are used.
    private var meters: ProgressMeters?

    init(uploadDelegate: WeakTarget = WeakTarget(nil), downloadDelegate: WeakTarget = WeakTarget(nil)) {
        self.uploadDelegate = uploadDelegate
        self.downloadDelegate = downloadDelegate
    }

    /// Updates the meters.
    /// - Returns: all changes, and when the delegate is to be called for them; nil if it is called already, or not at
    ///   all.
    mutating func update(
        _ direction: TransferProgress.Direction, _ settings: SDMRequestSettings, at now: Duration,
        _ change: (inout ProgressMeters) -> [ProgressChange]
    ) -> ([ProgressChange], ProgressMeters.Due?) {
        var new = meters ?? ProgressMeters(isAccurate: settings.showAccurateProgress)
        let changes = change(&new)
        let resets =
            direction == .upload ? settings.shouldResetUploadProgress : settings.shouldResetDownloadProgress
        let seen = resets ? changes : changes.withoutResets()
        let due = seen.isEmpty ? nil : new.enqueue(seen, direction, at: now)
        meters = new
        return (changes, due)
    }

    /// Takes the changes that a delegate has not seen yet, which is called now.
    mutating func take(_ direction: TransferProgress.Direction, at now: Duration) -> ([ProgressChange], WeakTarget) {
        (meters?.dequeue(direction, at: now) ?? [], direction == .upload ? uploadDelegate : downloadDelegate)
    }
}

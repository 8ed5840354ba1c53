import Coordination
public import Delegation
import Synchronization
import Transport

extension SDMHttpRequest {
    /// The progress of the request as a sequence, which ends with the request.
    ///
    /// ```swift
    /// for await progress in request.progressUpdates { bar.value = progress.fraction ?? 0 }
    /// ```
    public var progressUpdates: ProgressUpdates { progressFeed.updates }

    /// Updates the upload's meter and reports what follows.
    func reportUpload(_ callbacks: Callbacks, _ change: (inout UploadMeter) -> [ProgressChange]) {
        report(.upload, callbacks) { change(&$0.upload) }
    }

    /// Updates the download's meter and reports what follows.
    func reportDownload(_ callbacks: Callbacks, _ change: (inout DownloadMeter) -> [ProgressChange]) {
        report(.download, callbacks) { change(&$0.download) }
    }

    /// Removes the progress of the body sent so far from the delegates.
    public func removeUploadProgressSoFar() {
        reportUpload(Callbacks(session.configuration.delivery)) { $0.removeProgress() }
    }

    private func report(
        _ direction: TransferProgress.Direction, _ callbacks: Callbacks,
        _ change: (inout ProgressMeters) -> [ProgressChange]
    ) {
        let now = session.clock.now
        deliver(state.withLock { $0.report(direction, at: now, change) }, callbacks)
    }

    /// Calls the delegates of the request and of its queue for a change.
    func deliver(_ report: ProgressReport, _ callbacks: Callbacks) {
        if let due = report.due { post(report.direction, due, callbacks) }
        if !report.changes.isEmpty { report.queue?.progressed(report.changes, report.direction, of: self) }
    }

    private func post(_ direction: TransferProgress.Direction, _ due: ProgressMeters.Due, _ callbacks: Callbacks) {
        guard case .at(let time) = due, !callbacks.areInline else {
            return callbacks.post { [self] in deliverProgress(direction) }
        }
        // The request lives until then, so that a change after its end is reported too.
        _ = session.clock.schedule(at: time) { [self] in
            callbacks.post { [self] in deliverProgress(direction) }
        }
    }

    /// Calls the delegates with the progress that they have not seen yet; called before the end is delivered.
    func deliverProgress() {
        deliverProgress(.upload)
        deliverProgress(.download)
    }

    private func deliverProgress(_ direction: TransferProgress.Direction) {
        let now = session.clock.now
        let (changes, target) = state.withLock { state in
            let (changes, target) = state.progress.take(direction, at: now)
            return (changes, state.delivery.isSilenced ? nil : target)
        }
        guard let object = target?.object else { return }
        for change in changes { ProgressReceiver(object, direction, warn: warn).receive(change, of: self) }
    }
}

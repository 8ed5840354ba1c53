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
        let (changes, due, queue) = state.withLock { state in
            var meters = state.meters ?? ProgressMeters(isAccurate: state.settings.showAccurateProgress)
            let changes = change(&meters)
            let resets =
                direction == .upload
                ? state.settings.shouldResetUploadProgress : state.settings.shouldResetDownloadProgress
            let seen = resets ? changes : changes.withoutResets()
            let due = seen.isEmpty ? nil : meters.enqueue(seen, direction, at: now)
            state.meters = meters
            return (changes, due, state.queue)
        }
        if let due { post(direction, due, callbacks) }
        if !changes.isEmpty { queue?.progressed(changes, direction, of: self) }
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
            let target = direction == .upload ? state.uploadProgressDelegate : state.downloadProgressDelegate
            return (state.meters?.dequeue(direction, at: now) ?? [], target)
        }
        guard !isSilenced, let object = target.object else { return }
        for change in changes { ProgressReceiver(object, direction, warn: warn).receive(change, of: self) }
    }
}

import Delegation
import Synchronization

extension SDMNetworkQueue {
    /// Announces the size of a new request. Without accurate progress it counts as one unit.
    func announce(_ request: SDMHttpRequest, hasHead: Bool) {
        let length = request.postLength
        request.reportUpload(callbacks) { $0.expect(length) }
        if !hasHead, !showAccurateProgress { request.reportDownload(callbacks) { $0.expect(nil) } }
    }

    /// Announces the length that a `HEAD` request has found.
    func expect(_ head: SDMHttpRequest, for main: SDMHttpRequest) {
        let length = head.state.withLock(\.head)?.declaredLength
        main.reportDownload(callbacks) { [acceptsGzip = main.allowCompressedResponse] in
            $0.expect(length, acceptsGzip: acceptsGzip)
        }
    }

    /// Adds the progress of a request, and reports that of the queue.
    func progressed(_ changes: [ProgressChange], _ direction: TransferProgress.Direction, of request: SDMHttpRequest) {
        // The lengths and the progress of `HEAD` requests are not those of the queue.
        guard settings.withLock(\.showsProgress), request.state.withLock(\.mainRequest) == nil else { return }
        let target = settings.withLock {
            direction == .upload ? $0.uploadProgressDelegate : $0.downloadProgressDelegate
        }
        let bytes = changes.filter { if case .fraction = $0 { false } else { true } }
        // Without the lock: the last reference to a delegate may end here, and it may call the queue then.
        let hasTarget = target.object != nil
        let isDue = progress.withLock { progress in
            let fractions = direction == .upload ? progress.upload.add(changes) : progress.download.add(changes)
            guard hasTarget else { return false }
            progress.pending.append(
                QueueProgress.Report(
                    target: target, direction: direction, changes: bytes + fractions, request: request))
            return progress.pending.count == 1
        }
        if isDue { callbacks.post { [self] in deliverProgress() } }
    }

    private func deliverProgress() {
        let reports = progress.withLock { progress in
            defer { progress.pending = [] }
            return progress.pending
        }
        for report in reports {
            guard let object = report.target.object else { continue }
            let receiver = ProgressReceiver(object, report.direction, warn: warn)
            for change in report.changes { receiver.receive(change, of: report.request) }
        }
    }
}

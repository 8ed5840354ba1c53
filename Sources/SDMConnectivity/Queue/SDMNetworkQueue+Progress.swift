import Delegation
import Synchronization
import Transport

extension SDMNetworkQueue {
    /// Announces the size of a new request. Without accurate progress it counts as one unit.
    func announce(_ request: SDMHttpRequest, hasHead: Bool) {
        let length = request.postLength
        request.reportUpload(callbacks) { $0.expect(length) }
        if !hasHead, !showAccurateProgress { request.reportDownload(callbacks) { $0.expect(nil) } }
    }

    /// Announces the length that a `HEAD` request has found.
    func expect(_ head: SDMHttpRequest, for main: SDMHttpRequest) {
        // A request that was cancelled meanwhile receives nothing.
        guard !main.complete else { return }
        let length = head.responseHead?.declaredLength
        main.reportDownload(callbacks) { [acceptsGzip = main.allowCompressedResponse] in
            $0.expect(length, acceptsGzip: acceptsGzip)
        }
    }

    /// Adds the progress of a request, and reports that of the queue.
    func progressed(_ changes: [ProgressChange], _ direction: TransferProgress.Direction, of request: SDMHttpRequest) {
        let target = settings.withLock { settings -> WeakTarget? in
            guard settings.showsProgress else { return nil }
            return direction == .upload ? settings.uploadProgressDelegate : settings.downloadProgressDelegate
        }
        guard let target else { return }
        // Without the lock: the last reference to a delegate may end here, and it may call the queue then.
        let living = QueueProgress.Target(target)
        let isDue = progress.withLock { $0.add(changes, direction, of: request, for: living) }
        if isDue { callbacks.post { [self] in deliverProgress() } }
    }

    private func deliverProgress() {
        for report in progress.withLock({ $0.take() }) {
            guard let object = report.target.object else { continue }
            let receiver = ProgressReceiver(object, report.direction, warn: warn)
            for change in report.changes { receiver.receive(change, of: report.request) }
        }
    }
}

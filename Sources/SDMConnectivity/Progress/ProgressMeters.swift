import Delegation

/// The meters of one request, and the changes that its delegates have not seen yet.
struct ProgressMeters: Sendable {
    var upload: UploadMeter
    var download: DownloadMeter
    /// Changes for the delegates, which are called once for all that came meanwhile.
    private var pending: [TransferProgress.Direction: [ProgressChange]] = [:]

    init(isAccurate: Bool) {
        upload = UploadMeter(isAccurate: isAccurate)
        download = DownloadMeter(isAccurate: isAccurate)
    }

    /// Adds changes for a delegate.
    /// - Returns: true if none were pending, so that a callback is due.
    mutating func enqueue(_ changes: [ProgressChange], _ direction: TransferProgress.Direction) -> Bool {
        let isFirst = pending[direction, default: []].isEmpty
        for change in changes { pending[direction, default: []].merge(change) }
        return isFirst
    }

    /// Takes the changes for a delegate.
    mutating func dequeue(_ direction: TransferProgress.Direction) -> [ProgressChange] {
        pending.removeValue(forKey: direction) ?? []
    }
}

extension [ProgressChange] {
    /// Appends a change; a pair of bytes and fraction is joined with the same pair at the end. The zero of a start
    /// stays.
    fileprivate mutating func merge(_ change: ProgressChange) {
        switch (last, change) {
        case (.fraction(let old), .fraction(let new)) where old > 0 && new >= old:
            self[count - 1] = change
        case (.fraction, .bytes(let new)):
            guard count > 1, case .bytes(let old) = self[count - 2], (old < 0) == (new < 0) else {
                return append(change)
            }
            self[count - 2] = .bytes(old + new)
        default:
            append(change)
        }
    }
}

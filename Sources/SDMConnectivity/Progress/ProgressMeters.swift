import Delegation
import Transport

/// The meters of one request, and the changes that its delegates have not seen yet.
struct ProgressMeters: Sendable {
    var upload: UploadMeter
    var download: DownloadMeter
    /// Changes for the delegates, which are called once for all that came meanwhile.
    private var pending: [TransferProgress.Direction: [ProgressChange]] = [:]
    /// The time of the last call of each delegate.
    private var lastCall: [TransferProgress.Direction: Duration] = [:]

    /// The shortest time between two calls of a delegate, but for the last one: a screen shows no more.
    static let interval = Duration.milliseconds(16)

    /// When a delegate is to be called.
    enum Due: Equatable {
        case now
        case at(Duration)
    }

    init(isAccurate: Bool) {
        upload = UploadMeter(isAccurate: isAccurate)
        download = DownloadMeter(isAccurate: isAccurate)
    }

    /// Adds changes for a delegate.
    /// - Returns: nil if a call is due already.
    mutating func enqueue(
        _ changes: [ProgressChange], _ direction: TransferProgress.Direction, at now: Duration
    ) -> Due? {
        let isFirst = pending[direction, default: []].isEmpty
        for change in changes { pending[direction, default: []].merge(change) }
        guard isFirst else { return nil }
        guard let last = lastCall[direction], now < last + Self.interval else { return .now }
        return .at(last + Self.interval)
    }

    /// Takes the changes for a delegate, which is called now.
    mutating func dequeue(_ direction: TransferProgress.Direction, at now: Duration) -> [ProgressChange] {
        guard let changes = pending.removeValue(forKey: direction) else { return [] }
        lastCall[direction] = now
        return changes
    }
}

extension [ProgressChange] {
    /// Appends a change; bytes, or a pair of bytes and fraction, are joined with the same at the end. The zero of a
    /// start stays.
    mutating func merge(_ change: ProgressChange) {
        switch (last, change) {
        case (.bytes(let old), .bytes(let new)) where (old < 0) == (new < 0):
            self[count - 1] = .bytes(old + new)
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

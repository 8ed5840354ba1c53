package import Coordination
import Synchronization

/// The changes of a call's progress that are worth telling, as a state machine without a clock.
///
/// ```
/// none -any->                              told   the first one of a direction
/// told -the last byte->                    told
/// told -fewer bytes, or another total->    told   a retry, or a continued transfer
/// told -a percent, or 0.1 seconds later->  told
/// told -any other->                        told   the change is dropped
/// ```
///
/// Without a total all are told, since the last one cannot be known from the others.
struct ProgressSteps: Sendable {
    /// The time after which a smaller change is told.
    static let interval = Duration.milliseconds(100)
    /// The smallest part of the total that is told before that.
    private static let parts: Int64 = 100

    private struct Step {
        let progress: TransferProgress
        let time: Duration
    }

    private var upload: Step?
    private var download: Step?

    /// True if the progress is to be told.
    mutating func tells(_ progress: TransferProgress, at time: Duration) -> Bool {
        let isUpload = progress.direction == .upload
        guard isStep(from: isUpload ? upload : download, to: progress, at: time) else { return false }
        let step = Step(progress: progress, time: time)
        if isUpload { upload = step } else { download = step }
        return true
    }

    private func isStep(from last: Step?, to progress: TransferProgress, at time: Duration) -> Bool {
        guard let last, let total = progress.total, total == last.progress.total else { return true }
        let gained = progress.completed - last.progress.completed
        return gained < 0 || gained >= max(1, total / Self.parts) || progress.completed >= total
            || time - last.time >= Self.interval
    }
}

/// Drops the changes of a call's progress that are not worth telling: a transfer reports each chunk.
///
/// At most a hundred changes of a transfer are told, and ten in each second.
package final class ProgressFilter: Sendable {
    private let clock: AnyMonotonicClock
    private let steps = Mutex(ProgressSteps())

    /// - Parameter clock: measures the time between two changes.
    package init(clock: AnyMonotonicClock = .continuous) { self.clock = clock }

    /// The progress of an event; nil if it has none, or one that is not worth telling.
    package func progress(of event: TransferEvent) -> TransferProgress? {
        guard let progress = TransferProgress(event) else { return nil }
        let now = clock.now
        return steps.withLock { $0.tells(progress, at: now) } ? progress : nil
    }
}

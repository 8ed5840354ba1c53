import Coordination
public import Foundation
import Synchronization
public import Transport

/// A transfer observer that keeps a Foundation `Progress` current, and whose cancellation cancels the call.
///
/// ```swift
/// let observer = FoundationProgress()
/// parent.addChild(observer.progress, withPendingUnitCount: 1)
/// let response = try await observer.run { try await transport.send(request, observer: $0) }
/// ```
/// Counts are in bytes and go back to zero with a retry. They change as `ProgressObserver` says, not with each chunk. A
/// body counts as finished only when the call is, since a challenge may cause it to be sent again; until then at least
/// one byte is left.
public final class FoundationProgress: TransferObserver {
    /// The parts of a call that count.
    public enum Scope: Hashable, Sendable {
        /// The request body.
        case upload
        /// The response body.
        case download
        /// Both, each as one half.
        case both
    }

    /// The progress of the scope.
    public let progress: Progress
    /// The progress of the request body; indeterminate while the length is unknown.
    public let upload: Progress
    /// The progress of the response body; indeterminate while the length is unknown.
    public let download: Progress

    private let delivery: Delivery
    private let filter = ProgressFilter()
    private let cancelled = Promise<Void>()
    private let cancellation = Mutex<(@Sendable () -> Void)?>(nil)

    /// Creates an observer of one call.
    /// - Parameters:
    ///   - scope: what ``progress`` counts.
    ///   - delivery: where the progress is updated. On Linux, `Progress` is not thread-safe: use its objects there
    ///     only.
    public init(_ scope: Scope = .download, delivery: Delivery = .main) {
        self.delivery = delivery
        (upload, download) = (Self.part(), Self.part())
        switch scope {
        case .upload: progress = upload
        case .download: progress = download
        case .both:
            progress = Progress.discreteProgress(totalUnitCount: 2)
            progress.addChild(upload, withPendingUnitCount: 1)
            progress.addChild(download, withPendingUnitCount: 1)
        }
        progress.isCancellable = true
        progress.cancellationHandler = { [weak self] in self?.cancelled.fulfill(()) }
    }

    /// A progress without a parent, not even the current one of this thread.
    private static func part() -> Progress {
        let part = Progress.discreteProgress(totalUnitCount: -1)
        part.kind = .file
        return part
    }

    /// Updates the progress from an event.
    public func transfer(didEmit event: TransferEvent) {
        guard let transferred = filter.progress(of: event) else { return }
        let part = transferred.direction == .upload ? upload : download
        delivery.deliver { Self.update(part, to: transferred) }
    }

    private static func update(_ part: Progress, to transferred: TransferProgress) {
        // An empty body has nothing to show before the end.
        guard transferred.total != 0 else { return }
        let total = transferred.total ?? -1
        let completed = total > 0 ? min(transferred.completed, total - 1) : transferred.completed
        // First down, so that a smaller total does not complete the part.
        if completed < part.completedUnitCount { part.completedUnitCount = completed }
        if total != part.totalUnitCount { part.totalUnitCount = total }
        part.completedUnitCount = completed
    }

    /// Completes the progress. Call it after the call has succeeded.
    public func finish() {
        delivery.deliver { [upload, download] in
            for part in [upload, download] where !part.isFinished {
                let count = max(1, part.completedUnitCount, part.totalUnitCount)
                part.totalUnitCount = count
                part.completedUnitCount = count
            }
        }
    }

    /// Sets how to cancel the call, such as `call.cancel`; called once, at once if the progress is cancelled already.
    public func onCancel(_ cancel: @escaping @Sendable () -> Void) {
        let isFirst = cancellation.withLock { cancellation in
            defer { cancellation = cancel }
            return cancellation == nil
        }
        // One action, which calls the latest closure: a promise keeps its actions.
        if isFirst {
            cancelled.whenFulfilled { [weak self] in self?.performCancellation() }
        } else if cancelled.current != nil {
            performCancellation()
        }
    }

    private func performCancellation() { cancellation.withLock { $0.take() }?() }

    /// Runs a call that is cancelled with the progress, and completes the progress if the call succeeds.
    public func run<Value: Sendable>(
        _ work: @escaping @Sendable (FoundationProgress) async throws -> Value
    ) async throws -> Value {
        let stop = Promise<Bool>()
        onCancel { stop.fulfill(true) }
        let value = try await stop.runCancellable { try await work(self) }
        finish()
        return value
    }
}

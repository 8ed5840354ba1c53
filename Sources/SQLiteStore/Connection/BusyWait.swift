import Dispatch
import Foundation
import StoreCore
import Synchronization

/// The wait of a statement for another connection that has locked the file.
///
/// SQLite's own busy timeout sleeps up to 100 ms at a time, and cannot be interrupted. Used by one thread at a time.
final class BusyWait: Sendable {
    private let timeout: DispatchTimeInterval
    /// In nanoseconds of `DispatchTime`.
    private let deadline = Atomic<UInt64>(0)
    /// The end of all waits in ``limiting(to:_:)``, in nanoseconds of `DispatchTime`.
    private let limit = Atomic<UInt64>(.max)
    private let ignoresCancellation = Atomic(false)
    private let wasEnded = Atomic(false)

    /// - Parameter timeout: the maximum wait.
    init(timeout: Duration) { self.timeout = timeout.dispatchInterval }

    /// Starts the timeout, which the first call of ``next(_:isInterrupted:)`` does too.
    func start() {
        let end = StoreThreads.lockDeadline(after: timeout).uptimeNanoseconds
        deadline.store(min(end, limit.load(ordering: .relaxed)), ordering: .relaxed)
        ignoresCancellation.store(WaitCancellation().isIgnored, ordering: .relaxed)
    }

    /// Runs `body`, in which waits end after a time if they would be longer.
    func limiting<Result>(to time: DispatchTimeInterval, _ body: () throws -> Result) rethrows -> Result {
        limit.store((DispatchTime.now() + time).uptimeNanoseconds, ordering: .relaxed)
        defer { limit.store(.max, ordering: .relaxed) }
        return try body()
    }

    /// Waits for some milliseconds.
    /// - Parameters:
    ///   - count: number of earlier calls in this wait.
    ///   - isInterrupted: true to end the wait.
    /// - Returns: false after the timeout; also when the wait was interrupted or its task was cancelled meanwhile.
    func next(_ count: CInt, isInterrupted: Bool) -> Bool {
        if count == 0 { start() }
        let isCancelled = WaitCancellation(isIgnored: ignoresCancellation.load(ordering: .relaxed)).isCancelled
        wasEnded.store(isInterrupted || isCancelled, ordering: .relaxed)
        let (now, end) = (DispatchTime.now().uptimeNanoseconds, deadline.load(ordering: .relaxed))
        guard !isInterrupted, !isCancelled, now < end else { return false }
        let delay = min(Self.delay(count), end - now)
        Thread.sleep(forTimeInterval: Double(delay) / 1e9)
        return true
    }

    /// Ends the wait because of an interrupt.
    func end() { wasEnded.store(true, ordering: .relaxed) }

    /// Forgets the last wait.
    func reset() { wasEnded.store(false, ordering: .relaxed) }

    /// Returns true once if the last wait ended before the timeout without the lock.
    func takeEnded() -> Bool { wasEnded.exchange(false, ordering: .relaxed) }

    /// In nanoseconds: 1, 2, 5, then 10 ms.
    private static func delay(_ count: CInt) -> UInt64 {
        switch count {
        case 0: 1_000_000
        case 1: 2_000_000
        case 2: 5_000_000
        default: 10_000_000
        }
    }
}

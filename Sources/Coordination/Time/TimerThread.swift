import Foundation
import Synchronization
import SystemLibraries

/// Timers on one dedicated thread of the process.
///
/// A sorted array of deadlines and a thread that waits in `poll`. Timers therefore need no thread of Dispatch or of the
/// cooperative pool, and ignore changes of the wall clock. Actions must not block.
package final class TimerThread: TaskExecutor {
    package typealias Instant = ContinuousClock.Instant

    private struct Entry {
        let id: UInt64
        let deadline: Instant
        let action: @Sendable () -> Void
    }
    private struct State {
        var lastID: UInt64 = 0
        /// Sorted by deadline, the earliest last.
        var entries: [Entry] = []
        /// The end of the thread's current wait; nil while it waits without a deadline.
        var wakesAt: Instant?

        mutating func insert(_ entry: Entry) {
            let index = entries.insertionIndex { $0.deadline <= entry.deadline }
            entries.insert(entry, at: index)
        }

        mutating func popDue(at now: Instant) -> [Entry] {
            var due: [Entry] = []
            while let last = entries.last, last.deadline <= now { due.append(entries.removeLast()) }
            wakesAt = entries.last?.deadline
            return due
        }
    }

    package static let shared = TimerThread()

    /// Short, because the timeout of `poll` does not count while the machine sleeps.
    private static let longestWait = Duration.seconds(10)

    private let state = Mutex(State())
    /// Ends the wait. When the process is out of file descriptors, it is nil, and the thread looks every 5 ms instead.
    private let pipe = WakeupPipe()

    private init() {
        let thread = Thread { [unowned self] in run() }
        thread.name = "patchbay.timer"
        thread.start()
    }

    /// Calls `action` once, at `deadline`.
    /// - Returns: an ID for ``cancel(_:at:)``.
    @discardableResult
    package func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, mustWake) = state.withLock { state in
            state.lastID += 1
            state.insert(Entry(id: state.lastID, deadline: deadline, action: action))
            let isEarliest = state.wakesAt.map { deadline < $0 } ?? true
            if isEarliest { state.wakesAt = deadline }
            return (state.lastID, isEarliest)
        }
        if mustWake { pipe?.wake() }
        return id
    }

    /// Removes a timer that has not fired.
    package func cancel(_ id: UInt64, at deadline: Instant) {
        let removed = state.withLock { state -> Entry? in
            var index = state.entries.insertionIndex { $0.deadline <= deadline }
            while index < state.entries.count, state.entries[index].deadline == deadline {
                if state.entries[index].id == id { return state.entries.remove(at: index) }
                index += 1
            }
            return nil
        }
        // Release the action's captures after unlocking: a deinit may call back into this class.
        _ = removed
    }

    /// Runs a task's job on the timer thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        schedule(at: .now) { [unowned self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func run() {
        while true {
            let now = Instant.now
            let (due, next) = state.withLock { state in (state.popDue(at: now), state.wakesAt) }
            for entry in due { runReleasingTemporaries(entry.action) }
            guard due.isEmpty else { continue }
            if let pipe {
                pipe.wait(milliseconds: Self.milliseconds(until: next, from: now))
            } else {
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
    }

    /// The limit of a wait, rounded up: rounding down would spin through the last millisecond.
    private static func milliseconds(until deadline: Instant?, from now: Instant) -> Int32 {
        guard let deadline else { return -1 }
        let rest = min(now.duration(to: deadline), longestWait)
        return Int32((rest + .microseconds(999)) / .milliseconds(1))
    }
}

extension Array {
    /// The index of the first element that meets a condition, by binary search in a partitioned array.
    fileprivate func insertionIndex(before condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

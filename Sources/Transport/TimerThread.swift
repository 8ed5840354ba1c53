import Foundation
import Synchronization

/// Calls functions at their moments, on one thread for the whole process.
///
/// The thread waits in `poll`, so a deadline needs neither a thread of Dispatch nor one of the cooperative pool, and a
/// change of the wall clock does not move it. What it calls must not block.
package final class TimerThread: TaskExecutor {
    package typealias Moment = ContinuousClock.Instant

    private struct Entry {
        let id: UInt64
        let moment: Moment
        let action: @Sendable () -> Void
    }
    private struct State {
        var lastID: UInt64 = 0
        /// Sorted, the earliest last.
        var entries: [Entry] = []
        /// The moment until which the thread waits; nil while it waits to be woken.
        var wakesAt: Moment?

        mutating func insert(_ entry: Entry) {
            let index = entries.insertionIndex { $0.moment <= entry.moment }
            entries.insert(entry, at: index)
        }

        mutating func popDue(at now: Moment) -> [Entry] {
            var due: [Entry] = []
            while let last = entries.last, last.moment <= now { due.append(entries.removeLast()) }
            wakesAt = entries.last?.moment
            return due
        }
    }

    package static let shared = TimerThread()

    /// `poll` does not count the time in which the machine sleeps.
    private static let longestWait = Duration.seconds(10)

    private let state = Mutex(State())
    /// A pipe: a byte in it ends the thread's wait.
    private let readEnd: Int32
    private let writeEnd: Int32

    private init() {
        var ends: [Int32] = [-1, -1]
        // Without a pipe, in a process that has no descriptor left, the thread looks around now and then.
        if pipe(&ends) != 0 { ends = [-1, -1] }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        let thread = Thread { [unowned self] in run() }
        thread.name = "patchbay.timer"
        thread.start()
    }

    /// Calls `action` once, when `moment` has come.
    /// - Returns: what ``cancel(_:at:)`` takes.
    @discardableResult
    package func schedule(at moment: Moment, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, mustWake) = state.withLock { state in
            state.lastID += 1
            state.insert(Entry(id: state.lastID, moment: moment, action: action))
            let isEarliest = state.wakesAt.map { moment < $0 } ?? true
            if isEarliest { state.wakesAt = moment }
            return (state.lastID, isEarliest)
        }
        if mustWake { wake() }
        return id
    }

    /// Forgets an action that was not called yet.
    package func cancel(_ id: UInt64, at moment: Moment) {
        let removed = state.withLock { state -> Entry? in
            var index = state.entries.insertionIndex { $0.moment <= moment }
            while index < state.entries.count, state.entries[index].moment == moment {
                if state.entries[index].id == id { return state.entries.remove(at: index) }
                index += 1
            }
            return nil
        }
        // What the action holds is let go only now that the lock is free.
        _ = removed
    }

    /// Runs a task's job on the thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        schedule(at: .now) { [unowned self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func wake() {
        var byte: UInt8 = 1
        // A pipe that is full wakes the thread as well.
        _ = write(writeEnd, &byte, 1)
    }

    private func run() {
        while true {
            let now = Moment.now
            let (due, next) = state.withLock { state in (state.popDue(at: now), state.wakesAt) }
            for entry in due { entry.action() }
            if due.isEmpty { wait(until: next, from: now) }
        }
    }

    private func wait(until moment: Moment?, from now: Moment) {
        var descriptor = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, milliseconds(until: moment, from: now)) > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(readEnd, &bytes, bytes.count) == bytes.count {}
    }

    /// Rounded up, because a wait that is too short would be followed by many more.
    private func milliseconds(until moment: Moment?, from now: Moment) -> Int32 {
        guard readEnd >= 0 else { return 5 }
        guard let moment else { return -1 }
        let rest = min(now.duration(to: moment), Self.longestWait)
        return Int32((rest + .microseconds(999)) / .milliseconds(1))
    }
}

extension Array {
    /// The index of the first element that a condition holds for, in an array whose elements without it come first.
    fileprivate func insertionIndex(before condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

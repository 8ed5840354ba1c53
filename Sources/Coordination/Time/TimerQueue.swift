import Synchronization

/// Many cancellable timers over one timer of a clock.
///
/// A ``TimerTable`` and a timer of the clock for its earliest deadline only. On a `ContinuousClock` that timer has its
/// own thread, so deadlines hold even when all threads of Dispatch and of the cooperative pool are blocked.
package final class TimerQueue: Sendable {
    private struct State {
        var lastID: UInt64 = 0
        var table = TimerTable()
        /// The deadline for which the clock's timer is set or about to be set.
        var firesAt: Duration?
        var timer: AnyMonotonicClock.Timer?
    }

    package let clock: AnyMonotonicClock
    private let state = Mutex(State())

    package init(_ clock: AnyMonotonicClock) { self.clock = clock }

    deinit { state.withLock(\.timer)?.cancel() }

    /// Returns a new timer ID.
    package func makeID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Calls `action` once at `deadline`, on the thread of ``TimerThread``; it must not block.
    ///
    /// An ID has one deadline at a time: a call with a later one is ignored. When the deadline has been extended, the
    /// action checks that and schedules again, which makes extending free.
    /// - Parameters:
    ///   - id: an ID from ``makeID()``.
    ///   - action: evaluated only when the deadline is stored.
    /// - Returns: false when the ID has an earlier or equal deadline, which stays.
    @discardableResult
    package func schedule(
        _ id: UInt64, at deadline: Duration, _ action: @autoclosure () -> @Sendable () -> Void
    ) -> Bool {
        let (isNew, isEarliest) = state.withLock { state in
            guard state.table.insert(id, at: deadline, action) else { return (false, false) }
            let isEarliest = state.firesAt.map { deadline < $0 } ?? true
            if isEarliest { state.firesAt = deadline }
            return (true, isEarliest)
        }
        if isEarliest { setTimer(for: deadline) }
        return isNew
    }

    /// Removes the deadline of an ID, if it has one.
    package func cancel(_ id: UInt64) { state.withLock { $0.table.remove(id) } }

    private func setTimer(for deadline: Duration) {
        let timer = clock.schedule(at: deadline) { [weak self] in self?.fire(from: deadline) }
        let unneeded = state.withLock { state in
            // Another thread has set an earlier one meanwhile.
            guard state.firesAt == deadline else { return timer as AnyMonotonicClock.Timer? }
            defer { state.timer = timer }
            return state.timer
        }
        unneeded?.cancel()
    }

    private func fire(from deadline: Duration) {
        let now = clock.now
        let (due, next) = state.withLock { state in
            let due = state.table.popDue(at: now)
            // If this timer was replaced while it fired, the replacement handles the next deadline.
            guard state.firesAt == deadline else { return (due, nil as Duration?) }
            state.timer = nil
            state.firesAt = state.table.earliest()
            return (due, state.firesAt)
        }
        if let next { setTimer(for: next) }
        for action in due { action() }
    }
}

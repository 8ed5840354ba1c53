import Synchronization

/// Many cancellable timers over one timer of a clock.
///
/// A ``TimerTable`` and a timer of the clock for its earliest deadline only. On a `ContinuousClock` that timer has its
/// own thread, so deadlines hold even when all threads of Dispatch and of the cooperative pool are blocked.
package final class TimerQueue: Sendable {
    /// The clock's timer, set or about to be set. By its number, since two may have the same deadline.
    struct Wake {
        let number: UInt64
        let deadline: Duration
        var timer: AnyMonotonicClock.Timer?
    }

    struct State {
        private var lastNumber: UInt64 = 0
        private var table = TimerTable()
        /// Nil without deadlines.
        private(set) var wake: Wake?

        /// Returns a new number, for an ID or for a timer of the clock.
        mutating func makeNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        /// Stores a deadline.
        /// - Returns: the timer to set if it is the earliest, and the one to cancel; nil if the deadline is ignored.
        mutating func insert(
            _ id: UInt64, at deadline: Duration, _ action: () -> @Sendable () -> Void
        ) -> (wake: Wake?, unneeded: AnyMonotonicClock.Timer?)? {
            guard table.insert(id, at: deadline, action) else { return nil }
            if let wake, wake.deadline <= deadline { return (nil, nil) }
            let unneeded = wake?.timer
            return (makeWake(at: deadline), unneeded)
        }

        mutating func remove(_ id: UInt64) { table.remove(id) }

        /// Takes note of a timer of the clock.
        /// - Returns: false if it is not needed any more: it has fired, or there is an earlier one.
        mutating func didSet(_ timer: AnyMonotonicClock.Timer, _ number: UInt64) -> Bool {
            guard wake?.number == number else { return false }
            wake?.timer = timer
            return true
        }

        /// Takes note that a timer of the clock fires.
        /// - Returns: the actions that are due, and the next timer to set.
        mutating func didFire(_ number: UInt64, at now: Duration) -> (due: [@Sendable () -> Void], next: Wake?) {
            let due = table.popDue(at: now)
            // If this timer was replaced while it fired, the replacement handles the next deadline.
            guard wake?.number == number else { return (due, nil) }
            wake = nil
            return (due, table.earliest().map { makeWake(at: $0) })
        }

        private mutating func makeWake(at deadline: Duration) -> Wake {
            let wake = Wake(number: makeNumber(), deadline: deadline)
            self.wake = wake
            return wake
        }
    }

    package let clock: AnyMonotonicClock
    private let state = Mutex(State())

    package init(_ clock: AnyMonotonicClock) { self.clock = clock }

    deinit { state.withLock(\.wake)?.timer?.cancel() }

    /// Returns a new timer ID.
    package func makeID() -> UInt64 { state.withLock { $0.makeNumber() } }

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
        guard let change = state.withLock({ $0.insert(id, at: deadline, action) }) else { return false }
        // First, so that there is always a timer for the other deadlines.
        if let wake = change.wake { set(wake) }
        change.unneeded?.cancel()
        return true
    }

    /// Removes the deadline of an ID, if it has one.
    package func cancel(_ id: UInt64) { state.withLock { $0.remove(id) } }

    private func set(_ wake: Wake) {
        let timer = clock.schedule(at: wake.deadline) { [weak self] in self?.fire(wake.number) }
        let isNeeded = state.withLock { $0.didSet(timer, wake.number) }
        if !isNeeded { timer.cancel() }
    }

    private func fire(_ number: UInt64) {
        let now = clock.now
        let (due, next) = state.withLock { $0.didFire(number, at: now) }
        if let next { set(next) }
        for action in due { action() }
    }
}

import Synchronization

/// Calls functions at their moments, each of which can be moved or cancelled.
///
/// One timer is set, for the earliest moment asked for; asking for a later one, the common case, costs a dictionary
/// entry. The timer has a thread of its own, so deadlines hold even when every thread of Dispatch and of the cooperative
/// pool is blocked.
package final class Deadlines: Sendable {
    private struct State {
        var lastID: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
        /// The earliest moment, for which the timer is set or about to be.
        var wakesAt: Duration?
        var timer: Timeline.Wake?
    }
    private struct Entry {
        let moment: Duration
        let action: @Sendable () -> Void
    }

    package let timeline: Timeline
    private let state = Mutex(State())

    package init(_ timeline: Timeline) { self.timeline = timeline }

    deinit { state.withLock(\.timer)?.cancel() }

    /// A name for somebody who wants to be woken.
    package func makeID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Calls `action` once when `moment` has come, on the thread of ``TimerThread``. It must not block.
    ///
    /// A name has one moment at a time, the earliest that it was asked for. Somebody whose deadline moves away need not say
    /// so, but asks again when woken too early.
    /// - Parameters:
    ///   - id: a name from ``makeID()``.
    ///   - action: made only when it is needed.
    /// - Returns: false when an earlier moment, or this one, stays the one of the name.
    @discardableResult
    package func schedule(
        _ id: UInt64, at moment: Duration, _ action: @autoclosure () -> @Sendable () -> Void
    ) -> Bool {
        let (isNew, isEarliest) = state.withLock { state in
            if let entry = state.entries[id], entry.moment <= moment { return (false, false) }
            state.entries[id] = Entry(moment: moment, action: action())
            let isEarliest = state.wakesAt.map { moment < $0 } ?? true
            if isEarliest { state.wakesAt = moment }
            return (true, isEarliest)
        }
        if isEarliest { setTimer(for: moment) }
        return isNew
    }

    /// Forgets the moment of a name; nothing happens when it has none.
    package func cancel(_ id: UInt64) { _ = state.withLock { $0.entries.removeValue(forKey: id) } }

    private func setTimer(for moment: Duration) {
        let timer = timeline.schedule(at: moment) { [weak self] in self?.wake(from: moment) }
        let unneeded = state.withLock { state in
            guard state.wakesAt == moment else { return timer as Timeline.Wake? }
            defer { state.timer = timer }
            return state.timer
        }
        unneeded?.cancel()
    }

    private func wake(from moment: Duration) {
        let now = timeline.now
        let (due, next) = state.withLock { state in
            let due = state.entries.filter { $0.value.moment <= now }
            for id in due.keys { state.entries[id] = nil }
            // Else this timer was replaced while it fired, and the other one sees to what comes next.
            guard state.wakesAt == moment else { return (due, nil as Duration?) }
            state.timer = nil
            state.wakesAt = state.entries.values.lazy.map(\.moment).min()
            return (due, state.wakesAt)
        }
        if let next { setTimer(for: next) }
        for entry in due.values.sorted(by: { $0.moment < $1.moment }) { entry.action() }
    }
}

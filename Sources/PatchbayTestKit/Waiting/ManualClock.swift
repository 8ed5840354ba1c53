/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// async let result = retrying(clock: clock).send(request)
/// try await clock.waitForSleepers(1)  // the back-off has begun
/// await clock.advance(by: .seconds(2))
/// ```
///
/// Sleepers wake in the order of their deadlines, those of one deadline in the order in which they fell asleep, and
/// each one has resumed before the next is woken.
public final class ManualClock: Clock {
    /// A time on a manual clock, counted from its start.
    public struct Instant: InstantProtocol {
        /// How long after the clock's start.
        public let offset: Duration

        /// The time so long after the clock's start.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// The time that is later by a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// How long it is from here to another time.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Orders by time.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let alarm = Gate()
        let hasResumed = Gate()
    }
    private struct State {
        var now: Instant
        // In the order in which they wake.
        var sleepers: [Sleeper] = []
        var lastID = 0
    }

    private let state: Watched<State>

    /// A clock that stands at a time.
    public init(now: Instant = Instant()) { state = Watched(State(now: now)) }

    /// The time it stands at.
    public var now: Instant { state.value.now }
    /// Zero: a manual clock can be moved by any duration.
    public var minimumResolution: Duration { .zero }
    /// How many tasks sleep.
    public var sleepers: Int { state.value.sleepers.count }
    /// The deadline of the sleeper that wakes next, or nil when nobody sleeps.
    public var nextDeadline: Instant? { state.value.sleepers.first?.deadline }

    /// Returns when the clock has been moved to a time or past it.
    /// - Parameter tolerance: ignored; a manual clock is exact.
    /// - Throws: `CancellationError` when the task is cancelled before that, or was already.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let sleeper: Sleeper? = state.update { state in
            guard deadline > state.now else { return nil }
            state.lastID += 1
            let sleeper = Sleeper(id: state.lastID, deadline: deadline)
            let place = state.sleepers.firstIndex { $0.deadline > deadline } ?? state.sleepers.endIndex
            state.sleepers.insert(sleeper, at: place)
            return sleeper
        }
        guard let sleeper else { return }
        defer { sleeper.hasResumed.open() }
        do {
            try await sleeper.alarm.wait()
        } catch {
            state.update { $0.sleepers.removeAll { $0.id == sleeper.id } }
            throw error
        }
    }

    /// Moves the clock and wakes everybody who is due on the way, also those who fall asleep meanwhile.
    ///
    /// When this returns, all of them have resumed. What they do then takes its own time: to follow a task from one
    /// sleep to its next, call ``waitForSleepers(_:)`` in between.
    /// - Parameter duration: how far; the clock does not go back.
    public func advance(by duration: Duration) async { await advance(to: now.advanced(by: duration)) }

    /// Moves the clock to a time, as ``advance(by:)`` does.
    public func advance(to end: Instant) async {
        while let sleeper = step(to: end) {
            sleeper.alarm.open()
            // Fails only when the caller is cancelled; time moves on all the same.
            try? await sleeper.hasResumed.wait()
        }
    }

    /// Moves the clock to the next deadline and wakes those who wait for it.
    /// - Returns: false when nobody slept.
    @discardableResult
    public func advanceToNextDeadline() async -> Bool {
        guard let nextDeadline else { return false }
        await advance(to: nextDeadline)
        return true
    }

    /// Does something while time passes by itself: whenever somebody sleeps on this clock, it moves to the next deadline.
    ///
    /// For one task that sleeps now and then. With several at once, the one that falls asleep first may be woken before
    /// another with an earlier deadline has come to its sleep; move the clock by hand then.
    public func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let mover = Task {
            while !Task.isCancelled {
                guard (try? await waitForSleepers(1)) != nil else { return }
                await advanceToNextDeadline()
            }
        }
        defer { mover.cancel() }
        return try await body()
    }

    /// Returns when at least so many tasks sleep.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    public func waitForSleepers(_ count: Int) async throws {
        try await state.wait { $0.sleepers.count >= count }
    }

    private func step(to end: Instant) -> Sleeper? {
        state.update { state in
            guard let next = state.sleepers.first, next.deadline <= end else {
                state.now = max(state.now, end)
                return nil
            }
            state.now = max(state.now, next.deadline)
            return state.sleepers.removeFirst()
        }
    }
}

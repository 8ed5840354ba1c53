/// A clock that advances only when a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// async let result = retrying(clock: clock).send(request)
/// try await clock.waitForSleepers(1)  // the backoff has started
/// await clock.advance(by: .seconds(2))
/// ```
///
/// Sleepers wake in the order of their deadlines, and first in, first out for equal deadlines. Each one has resumed
/// before the next is woken.
public final class ManualClock: Clock {
    /// A point in time, as an offset from the clock's start.
    public struct Instant: InstantProtocol {
        /// The duration since the clock's start.
        public let offset: Duration

        /// Creates an instant at an offset from the clock's start.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// The instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The duration from this instant to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Orders by time.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let wakeUp = Gate()
        let hasResumed = Gate()
    }
    private struct State {
        var now: Instant
        // Sorted by deadline, stable.
        var sleepers: [Sleeper] = []
        var lastID = 0
    }

    private let state: Watched<State>

    /// Creates a clock at a given time.
    public init(now: Instant = Instant()) { state = Watched(State(now: now)) }

    /// The current time.
    public var now: Instant { state.value.now }
    /// Zero: a manual clock advances by any duration.
    public var minimumResolution: Duration { .zero }
    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.value.sleepers.count }
    /// The earliest deadline of all sleepers, or nil without sleepers.
    public var nextDeadline: Instant? { state.value.sleepers.first?.deadline }

    /// Suspends until the clock has reached a deadline.
    /// - Parameter tolerance: ignored; a manual clock is exact.
    /// - Throws: `CancellationError` when the task is or becomes cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let sleeper: Sleeper? = state.update { state in
            guard deadline > state.now else { return nil }
            state.lastID += 1
            let sleeper = Sleeper(id: state.lastID, deadline: deadline)
            let index = state.sleepers.firstIndex { $0.deadline > deadline } ?? state.sleepers.endIndex
            state.sleepers.insert(sleeper, at: index)
            return sleeper
        }
        guard let sleeper else { return }
        defer { sleeper.hasResumed.open() }
        do {
            try await sleeper.wakeUp.wait()
        } catch {
            state.update { $0.sleepers.removeAll { $0.id == sleeper.id } }
            throw error
        }
    }

    /// Advances the clock and wakes all sleepers that become due, including those that start to sleep meanwhile.
    ///
    /// All of them have resumed when this returns, but their tasks may still be running: call ``waitForSleepers(_:)``
    /// before advancing to a task's next sleep.
    /// - Parameter duration: ignored when negative; the clock does not go back.
    public func advance(by duration: Duration) async { await advance(to: now.advanced(by: duration)) }

    /// Advances the clock to a time, as ``advance(by:)`` does.
    public func advance(to end: Instant) async {
        while let sleeper = step(to: end) {
            sleeper.wakeUp.open()
            // Throws only when the caller is cancelled; time advances regardless.
            try? await sleeper.hasResumed.wait()
        }
    }

    /// Advances the clock to the earliest deadline and wakes its sleepers.
    /// - Returns: false without sleepers.
    @discardableResult
    public func advanceToNextDeadline() async -> Bool {
        guard let nextDeadline else { return false }
        await advance(to: nextDeadline)
        return true
    }

    /// Runs `body` and advances to the next deadline whenever a task sleeps on this clock.
    ///
    /// For a single sleeping task. With several, a task may wake before another one with an earlier deadline has
    /// started to sleep; advance the clock by hand then.
    public func autoAdvancing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let driver = Task {
            while !Task.isCancelled {
                guard (try? await waitForSleepers(1)) != nil else { return }
                await advanceToNextDeadline()
            }
        }
        defer { driver.cancel() }
        return try await body()
    }

    /// Suspends until at least `count` tasks sleep.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func waitForSleepers(_ count: Int) async throws {
        try await state.wait { $0.sleepers.count >= count }
    }

    /// Suspends until the deadlines of all sleepers, the earliest first, meet a condition, and returns them.
    ///
    /// ```swift
    /// try await clock.wait { $0.first?.offset == .seconds(9) }  // the timeout was extended
    /// ```
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    public func wait(until isMet: @escaping @Sendable ([Instant]) -> Bool) async throws -> [Instant] {
        try await state.wait { isMet($0.sleepers.map(\.deadline)) }.sleepers.map(\.deadline)
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

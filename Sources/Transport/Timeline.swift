/// A clock as durations since a moment of its own, whatever the type of its instants.
///
/// What needs time takes any clock, keeps one of these, and stays free of the clock's type.
package struct Timeline: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// The time of a clock, counted from now.
    package init<C: Clock<Duration>>(_ clock: C) {
        let origin = clock.now
        let elapsed = { @Sendable in origin.duration(to: clock.now) }
        self.elapsed = elapsed
        guard clock is ContinuousClock else {
            wait = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
            return
        }
        wait = { deadline in
            try Task.checkCancellation()
            while case let rest = deadline - elapsed(), rest > .zero {
                await Nap.take(rest)
                try Task.checkCancellation()
            }
        }
    }

    /// The time that has passed.
    package var now: Duration { elapsed() }

    /// Returns when `now` has reached `deadline`.
    ///
    /// On a `ContinuousClock` no thread of the cooperative pool is needed for that, if the task has an executor of its
    /// own.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func sleep(until deadline: Duration) async throws { try await wait(deadline) }
}

/// A clock as durations since a moment of its own, whatever the type of its instants.
///
/// What needs time takes any clock, keeps one of these, and stays free of the clock's type.
package struct Timeline: Sendable {
    /// A call that is to come, until it is cancelled.
    package struct Wake: Sendable {
        /// Forgets the call.
        package let cancel: @Sendable () -> Void
    }

    /// The machine's own time.
    package static let continuous = Timeline(ContinuousClock())

    private let elapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void
    private let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Wake

    /// The time of a clock, counted from now.
    package init<C: Clock<Duration>>(_ clock: C) {
        let origin = clock.now
        let elapsed = { @Sendable in origin.duration(to: clock.now) }
        self.elapsed = elapsed
        guard let continuous = origin as? ContinuousClock.Instant else {
            let wait = { @Sendable deadline in
                try await clock.sleep(until: origin.advanced(by: deadline), tolerance: nil)
            }
            self.wait = wait
            schedule = { deadline, action in
                let task = Task(executorPreference: TimerThread.shared) {
                    guard (try? await wait(deadline)) != nil else { return }
                    action()
                }
                return Wake { task.cancel() }
            }
            return
        }
        wait = { deadline in
            try Task.checkCancellation()
            while case let rest = deadline - elapsed(), rest > .zero {
                await Nap.take(rest)
                try Task.checkCancellation()
            }
        }
        schedule = { deadline, action in
            let moment = continuous + deadline
            let id = TimerThread.shared.schedule(at: moment, action)
            return Wake { TimerThread.shared.cancel(id, at: moment) }
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

    /// Calls `action` once when `now` has reached `deadline`, on the thread of ``TimerThread``. It must not block.
    package func schedule(at deadline: Duration, _ action: @escaping @Sendable () -> Void) -> Wake {
        schedule(deadline, action)
    }
}

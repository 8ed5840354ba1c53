/// A type-erased clock whose instants are durations since its creation.
package struct AnyMonotonicClock: Sendable {
    /// A scheduled action that can be cancelled.
    package struct Timer: Sendable {
        /// Cancels the action, unless it has started.
        package let cancel: @Sendable () -> Void
    }

    /// A `ContinuousClock`.
    package static let continuous = AnyMonotonicClock(ContinuousClock())

    private let elapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void
    private let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Timer

    /// Wraps a clock; its current instant becomes zero.
    package init<C: Clock<Duration>>(_ clock: C) {
        let origin = clock.now
        guard let continuous = origin as? ContinuousClock.Instant else {
            elapsed = { @Sendable in origin.duration(to: clock.now) }
            let wait = { @Sendable deadline in
                try await clock.sleep(until: origin.advanced(by: deadline), tolerance: nil)
            }
            self.wait = wait
            schedule = { deadline, action in
                let task = Task(executorPreference: TimerThread.shared) {
                    guard (try? await wait(deadline)) != nil else { return }
                    action()
                }
                return Timer { task.cancel() }
            }
            return
        }
        // Not through the generic clock: layers read the time for each request.
        let elapsed = { @Sendable in ContinuousClock.now - continuous }
        self.elapsed = elapsed
        wait = { deadline in
            try Task.checkCancellation()
            while case let rest = deadline - elapsed(), rest > .zero {
                await TimerSleep.sleep(for: rest)
                try Task.checkCancellation()
            }
        }
        schedule = { deadline, action in
            let instant = continuous + deadline
            let id = TimerThread.shared.schedule(at: instant, action)
            return Timer { TimerThread.shared.cancel(id, at: instant) }
        }
    }

    /// The time since creation.
    package var now: Duration { elapsed() }

    /// Suspends until `deadline`.
    ///
    /// On a `ContinuousClock`, a task with its own executor needs no thread of the cooperative pool to wake.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func sleep(until deadline: Duration) async throws { try await wait(deadline) }

    /// Calls `action` once at `deadline`, on the thread of ``TimerThread``; it must not block.
    package func schedule(at deadline: Duration, _ action: @escaping @Sendable () -> Void) -> Timer {
        schedule(deadline, action)
    }
}

/// A clock of any type, whose instants are durations since its creation.
struct EngineClock: Sendable {
    private let elapsed: @Sendable () -> Duration
    /// Suspends until an instant; nil for the system's clock, for which the event thread can wait itself.
    let sleep: (@Sendable (Duration) async throws -> Void)?

    init<C: Clock<Duration>>(_ clock: C) {
        let origin = clock.now
        // Without the generic clock, which is slower: the time is read for each piece of a body.
        if let origin = origin as? ContinuousClock.Instant {
            elapsed = { ContinuousClock.now - origin }
            sleep = nil
        } else {
            elapsed = { @Sendable in origin.duration(to: clock.now) }
            sleep = { @Sendable instant in
                try await clock.sleep(until: origin.advanced(by: instant), tolerance: nil)
            }
        }
    }

    /// The time since creation.
    var now: Duration { elapsed() }
}

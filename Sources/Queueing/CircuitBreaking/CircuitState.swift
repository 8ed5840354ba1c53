/// The circuit of one origin, as a state machine. It has no transport and no clock.
///
/// ```
/// closed   -> open       too many failures in the window
/// open     -> halfOpen   admit, after the open duration
/// halfOpen -> closed     enough calls succeeded
/// halfOpen -> open       a call failed
/// ```
struct CircuitState {
    enum Phase: Hashable {
        /// All calls are permitted.
        case closed
        /// All calls are rejected until that time.
        case open(until: Duration)
        /// A few calls are permitted.
        case halfOpen(inFlight: Int, succeeded: Int)
    }
    enum Admission: Equatable {
        /// Send the request, then report ``CircuitState/callEnded(_:_:now:)``.
        case permit(Permit)
        /// Fail the call. A retry is useless before this time, if it is known.
        case reject(retryAfter: Duration?)
    }
    enum Outcome {
        case success, failure
        /// Cancelled, or an error that says nothing about the server.
        case unknown
    }
    /// The right to one call, valid within one period of the circuit.
    struct Permit: Equatable {
        fileprivate let period: Int
        /// True after a half-open call has counted as a success with its head.
        fileprivate var isCounted = false
    }

    private let policy: CircuitPolicy
    /// Counts the transitions, from the number of the first period.
    private var period: Int
    private var counts: CallCounts
    private(set) var phase = Phase.closed
    /// The time of the last half-open permit.
    private var lastHalfOpenPermit = Duration.zero

    /// - Parameter firstPeriod: the number of the first period; see ``successorPeriod``.
    init(_ policy: CircuitPolicy, firstPeriod: Int = 0) {
        self.policy = policy
        period = firstPeriod
        counts = CallCounts(window: policy.threshold.window)
    }

    /// Permits or rejects a call.
    mutating func admit(now: Duration) -> Admission {
        if case .open(let end) = phase {
            guard now >= end else { return .reject(retryAfter: end - now) }
            transition(to: .halfOpen(inFlight: 0, succeeded: 0))
        }
        if case .halfOpen(let inFlight, let succeeded) = phase {
            // A half-open call that takes too long gives its place to another one, or the circuit would never close.
            let isFree = inFlight + succeeded < max(1, policy.halfOpenCalls)
            guard isFree || now - lastHalfOpenPermit >= policy.openDuration else { return .reject(retryAfter: nil) }
            phase = .halfOpen(inFlight: isFree ? inFlight + 1 : inFlight, succeeded: succeeded)
            lastHalfOpenPermit = now
        }
        return .permit(Permit(period: period))
    }

    /// Reports a good head whose body is still to come.
    ///
    /// A half-open call counts as a success now, since its body may take long. Any other call counts at its end.
    /// - Returns: the permit for ``callEnded(_:_:now:)``.
    mutating func headReceived(_ permit: Permit, now: Duration) -> Permit {
        guard permit.period == period, case .halfOpen = phase else { return permit }
        callEnded(permit, .success, now: now)
        if case .closed = phase { return Permit(period: period) }
        return Permit(period: period, isCounted: true)
    }

    /// Reports the end of a permitted call.
    mutating func callEnded(_ permit: Permit, _ outcome: Outcome, now: Duration) {
        // A call from before the last transition says nothing about the server now.
        guard permit.period == period else { return }
        switch phase {
        case .closed:
            guard outcome != .unknown else { return }
            counts.add(failed: outcome == .failure, now: now)
            if outcome == .failure, exceedsThreshold(now: now) { open(now: now) }
        case .halfOpen(let inFlight, let succeeded):
            // Not below zero: a call that took too long and the one that replaced it may both end.
            let remaining = max(0, inFlight - 1)
            switch outcome {
            case .failure: open(now: now)
            case _ where permit.isCounted: break
            case .unknown: phase = .halfOpen(inFlight: remaining, succeeded: succeeded)
            case .success where succeeded + 1 >= policy.halfOpenCalls: transition(to: .closed)
            case .success: phase = .halfOpen(inFlight: remaining, succeeded: succeeded + 1)
            }
        case .open:
            break
        }
    }

    /// True if a new circuit would decide as this one, or this one opened long ago without later calls.
    ///
    /// A closed circuit is replaceable once its window has no failures and, with a ratio, no successes either: they
    /// count against later failures. A half-open circuit stays for the open duration after its last permit, also with
    /// nothing in flight: a cancelled call tells nothing about the server.
    func isEvictable(now: Duration) -> Bool {
        switch phase {
        case .closed:
            let (calls, failures) = counts.sums(now: now)
            return policy.threshold.ratio > 0 ? calls == 0 : failures == 0
        case .open(let end): return now - end >= policy.openDuration
        case .halfOpen: return now - lastHalfOpenPermit >= policy.openDuration
        }
    }

    /// The lowest first period of a circuit that replaces this one: calls of earlier periods do not count in it.
    ///
    /// A new circuit is closed and may continue a closed period, whose calls in flight then still count.
    var successorPeriod: Int { phase == .closed ? period : period + 1 }

    private func exceedsThreshold(now: Duration) -> Bool {
        let (calls, failures) = counts.sums(now: now)
        return failures >= policy.threshold.failures && Double(failures) >= policy.threshold.ratio * Double(calls)
    }

    private mutating func open(now: Duration) { transition(to: .open(until: now + policy.openDuration.bounded)) }

    private mutating func transition(to phase: Phase) {
        self.phase = phase
        period += 1
        counts = CallCounts(window: policy.threshold.window)
    }
}

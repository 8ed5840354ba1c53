/// The circuit of one origin, as a state machine: calls ask to be let through and say how they ended. It knows no
/// transport and no clock.
struct CircuitState {
    enum Phase: Hashable {
        /// All calls go through.
        case closed
        /// None does, until that time.
        case open(until: Duration)
        /// A few do, to see whether the server is back.
        case probing(underWay: Int, succeeded: Int)
    }
    enum Admission: Equatable {
        /// Go on, and say ``CircuitState/ended(_:_:now:)`` afterwards.
        case pass(Pass)
        /// Fail; trying again makes no sense for so long, if that is known.
        case refuse(retryAfter: Duration?)
    }
    enum End {
        case success, failure
        /// Cancelled, or something that says nothing about the server.
        case unknown
    }
    /// Tells calls that were let through before the circuit changed from those after it.
    struct Pass: Equatable {
        fileprivate let period: Int
        /// The call was a probe and has shown what it was for.
        fileprivate var isSettled = false
    }

    private let policy: CircuitPolicy
    private var period = 0
    private var counts: CallCounts
    private(set) var phase = Phase.closed
    /// When the last probe was let through.
    private var probedAt = Duration.zero

    init(_ policy: CircuitPolicy) {
        self.policy = policy
        counts = CallCounts(window: policy.threshold.window)
    }

    /// A call wants to be sent.
    mutating func admit(now: Duration) -> Admission {
        if case .open(let end) = phase {
            guard now >= end else { return .refuse(retryAfter: end - now) }
            enter(.probing(underWay: 0, succeeded: 0))
        }
        if case .probing(let underWay, let succeeded) = phase {
            // Probes that take too long leave a place to another one, or nobody would learn that the server is back.
            let isFree = underWay + succeeded < max(1, policy.probes)
            guard isFree || now - probedAt >= policy.openTime else { return .refuse(retryAfter: nil) }
            phase = .probing(underWay: isFree ? underWay + 1 : underWay, succeeded: succeeded)
            probedAt = now
        }
        return .pass(Pass(period: period))
    }

    /// The head of an answer has come and is good, and its body is still to come.
    ///
    /// A probe has shown by that what it was for, and holds others up no longer, however long its body is read. Any other
    /// call counts when it has ended.
    /// - Returns: what to say ``ended(_:_:now:)`` with.
    mutating func answered(_ pass: Pass, now: Duration) -> Pass {
        guard pass.period == period, case .probing = phase else { return pass }
        ended(pass, .success, now: now)
        if case .closed = phase { return Pass(period: period) }
        return Pass(period: period, isSettled: true)
    }

    /// A call that was let through has ended.
    mutating func ended(_ pass: Pass, _ end: End, now: Duration) {
        // What began before the circuit changed says nothing about the server as it is now.
        guard pass.period == period else { return }
        switch phase {
        case .closed:
            guard end != .unknown else { return }
            counts.add(failed: end == .failure, now: now)
            if end == .failure, isTooMuch(now: now) { open(now: now) }
        case .probing(let underWay, let succeeded):
            // Two may leave the same place.
            let left = max(0, underWay - 1)
            switch end {
            case .failure: open(now: now)
            case _ where pass.isSettled: break
            case .unknown: phase = .probing(underWay: left, succeeded: succeeded)
            case .success where succeeded + 1 >= policy.probes: enter(.closed)
            case .success: phase = .probing(underWay: left, succeeded: succeeded + 1)
            }
        case .open:
            break
        }
    }

    /// True when nothing failed of late, or nobody has asked for long whether the server is back.
    func isForgettable(now: Duration) -> Bool {
        switch phase {
        case .closed: counts.sums(now: now).failures == 0
        case .open(let end): now - end >= policy.openTime
        case .probing(let underWay, _): underWay == 0 || now - probedAt >= policy.openTime
        }
    }

    private func isTooMuch(now: Duration) -> Bool {
        let (calls, failures) = counts.sums(now: now)
        return failures >= policy.threshold.failures && Double(failures) >= policy.threshold.ratio * Double(calls)
    }

    private mutating func open(now: Duration) { enter(.open(until: now + policy.openTime.bounded)) }

    private mutating func enter(_ phase: Phase) {
        self.phase = phase
        period += 1
        counts = CallCounts(window: policy.threshold.window)
    }
}

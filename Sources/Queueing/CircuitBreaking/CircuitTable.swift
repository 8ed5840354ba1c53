import HTTPMessages

/// The circuits of all origins in use.
struct CircuitTable {
    private let policy: CircuitPolicy
    private var circuits: [Origin: CircuitState] = [:]
    private var evictionThreshold = 64
    /// The first period of new circuits, so that periods of an origin never repeat.
    private var firstPeriod = 0

    init(_ policy: CircuitPolicy) { self.policy = policy }

    /// The phase of a circuit; closed for an origin without one.
    func phase(_ origin: Origin) -> CircuitState.Phase { circuits[origin]?.phase ?? .closed }

    /// The number of circuits.
    var count: Int { circuits.count }

    mutating func admit(_ origin: Origin, now: Duration) -> CircuitState.Admission {
        if circuits[origin] == nil, circuits.count >= evictionThreshold { evict(now: now) }
        return circuits[origin, default: CircuitState(policy, firstPeriod: firstPeriod)].admit(now: now)
    }

    /// Reports a good head whose body is still to come.
    mutating func headReceived(_ origin: Origin, _ permit: CircuitState.Permit, now: Duration) -> CircuitState.Permit {
        circuits[origin, default: CircuitState(policy, firstPeriod: firstPeriod)].headReceived(permit, now: now)
    }

    /// Reports the end of a call; makes a circuit if that of the origin was evicted meanwhile.
    mutating func callEnded(
        _ origin: Origin, _ permit: CircuitState.Permit, _ outcome: CircuitState.Outcome, now: Duration
    ) {
        circuits[origin, default: CircuitState(policy, firstPeriod: firstPeriod)].callEnded(permit, outcome, now: now)
    }

    private mutating func evict(now: Duration) {
        circuits = circuits.filter { _, circuit in
            guard circuit.isEvictable(now: now) else { return true }
            firstPeriod = max(firstPeriod, circuit.successorPeriod)
            return false
        }
        evictionThreshold = max(64, circuits.count * 2)
    }
}

import HTTPMessages

/// The circuits of all origins in use.
struct CircuitTable {
    private let policy: CircuitPolicy
    private var circuits: [Origin: CircuitState] = [:]
    private var evictionThreshold = 64

    init(_ policy: CircuitPolicy) { self.policy = policy }

    /// The number of circuits.
    var count: Int { circuits.count }

    mutating func admit(_ origin: Origin, now: Duration) -> CircuitState.Admission {
        if circuits[origin] == nil, circuits.count >= evictionThreshold {
            circuits = circuits.filter { !$0.value.isEvictable(now: now) }
            evictionThreshold = max(64, circuits.count * 2)
        }
        return circuits[origin, default: CircuitState(policy)].admit(now: now)
    }

    /// Reports a good head whose body is still to come.
    mutating func headReceived(_ origin: Origin, _ permit: CircuitState.Permit, now: Duration) -> CircuitState.Permit {
        circuits[origin, default: CircuitState(policy)].headReceived(permit, now: now)
    }

    /// Reports the end of a call; makes a circuit if that of the origin was evicted meanwhile.
    mutating func callEnded(
        _ origin: Origin, _ permit: CircuitState.Permit, _ outcome: CircuitState.Outcome, now: Duration
    ) {
        circuits[origin, default: CircuitState(policy)].callEnded(permit, outcome, now: now)
    }
}

import HTTPMessages

/// The circuits of all origins that were asked of late.
struct CircuitTable {
    private let policy: CircuitPolicy
    private var circuits: [Origin: CircuitState] = [:]
    private var sizeOfNextPurge = 64

    init(_ policy: CircuitPolicy) { self.policy = policy }

    /// How many are remembered.
    var count: Int { circuits.count }

    mutating func admit(_ origin: Origin, now: Duration) -> CircuitState.Admission {
        if circuits[origin] == nil, circuits.count >= sizeOfNextPurge {
            circuits = circuits.filter { !$0.value.isForgettable(now: now) }
            sizeOfNextPurge = max(64, circuits.count * 2)
        }
        return circuits[origin, default: CircuitState(policy)].admit(now: now)
    }

    /// The head of an answer has come and is good, and its body is still to come.
    mutating func answered(_ origin: Origin, _ pass: CircuitState.Pass, now: Duration) -> CircuitState.Pass {
        circuits[origin, default: CircuitState(policy)].answered(pass, now: now)
    }

    /// A call to an origin has ended. If that was forgotten meanwhile there had been no failures.
    mutating func ended(_ origin: Origin, _ pass: CircuitState.Pass, _ end: CircuitState.End, now: Duration) {
        circuits[origin, default: CircuitState(policy)].ended(pass, end, now: now)
    }
}

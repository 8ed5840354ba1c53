import Patchbay

extension CircuitPolicy {
    /// A circuit that callers cannot open.
    ///
    /// A total timeout is the deadline of a caller, which may leave too little time, so it says nothing about the
    /// server. The response timeout is what the server is expected to need: that one counts as a failure.
    static let upstream = CircuitPolicy(
        threshold: .failures(3, within: .seconds(30)),
        isFailure: { outcome in
            if case .failure(let error) = outcome, error.phase == .total { return false }
            return CircuitPolicy.isServerFailure(outcome)
        })
}

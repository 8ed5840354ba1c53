package import Coordination

/// What follows an attempt of a call.
package enum RetryStep<Value> {
    /// The call ends with this value.
    case finish(Value)
    /// The next attempt starts at this time of the clock; nil for at once.
    /// - `cancellation`: the error of the call if its task is cancelled before.
    case retry(at: Duration?, cancellation: any Error)
}

/// The loop of all calls with retries.
///
/// The rules, usually a state machine, are those of the caller. An attempt is one request, or many steps around it.
package enum RetryLoop {
    /// Repeats an attempt until it ends the call.
    /// - Parameter attempt: returns what follows it. Its error ends the call.
    package static func run<Value>(
        on clock: AnyMonotonicClock, _ attempt: () async throws -> RetryStep<Value>
    ) async throws -> Value {
        while true {
            switch try await attempt() {
            case .finish(let value): return value
            case .retry(let deadline, let cancellation):
                do {
                    if let deadline { try await clock.sleep(until: deadline) } else { try Task.checkCancellation() }
                } catch {
                    throw cancellation
                }
            }
        }
    }
}

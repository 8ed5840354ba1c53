import Synchronization

/// Runs authorizations one at a time; see ``AuthorizationTurns``.
final class TurnQueue: Sendable {
    typealias Turns = AuthorizationTurns<CheckedContinuation<Bool, Never>>

    private let turns = Mutex(Turns())

    /// Runs a job when it is its turn.
    /// - Throws: ``WLError`` (`alreadyInProgress`) for a login or logout during another job.
    func run<Value>(_ job: Turns.Job, _ body: () async throws -> Value) async throws -> Value {
        let refusal = Mutex<Turns.Job?>(nil)
        let runs = await withCheckedContinuation { waiter in
            let result = turns.withLock { $0.start(job, waiter) }
            switch result {
            case .run: waiter.resume(returning: true)
            case .wait: break
            case .refuse(let current):
                refusal.withLock { $0 = current }
                waiter.resume(returning: false)
            }
        }
        guard runs else {
            throw WLError(
                .alreadyInProgress,
                "AUTHORIZATION_FAILURE: \(Self.name(of: refusal.withLock(\.self))) is already in process; retry when it "
                    + "has completed.")
        }
        defer { turns.withLock { $0.finish() }?.resume(returning: true) }
        return try await body()
    }

    private static func name(of job: Turns.Job?) -> String {
        switch job {
        case .login: "a login"
        case .logout: "a logout"
        case .registration: "a registration"
        case .token, nil: "an authorization"
        }
    }
}

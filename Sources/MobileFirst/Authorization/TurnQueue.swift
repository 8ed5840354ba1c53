import Synchronization

/// Runs authorizations one at a time; see ``AuthorizationTurns``.
final class TurnQueue: Sendable {
    enum Outcome: Sendable {
        case run
        case refused(Turns.Job)
        case cancelled
    }

    typealias Turns = AuthorizationTurns<CheckedContinuation<Outcome, Never>>

    private let turns = Mutex(Turns())

    /// Runs a job when it is its turn.
    /// - Throws: ``WLError`` (`alreadyInProgress`) for a login or logout during another job; `CancellationError` if the
    ///   task is cancelled before its turn.
    func run<Value>(_ job: Turns.Job, _ body: () async throws -> Value) async throws -> Value {
        switch await wait(for: job) {
        case .run: break
        case .cancelled: throw CancellationError()
        case .refused(let current): throw Self.refusal(during: current)
        }
        return try await runBegun(body)
    }

    /// Takes the turn of a login or logout at once; ``runBegun(_:)`` ends it.
    /// - Returns: the error (`alreadyInProgress`) during another job; nil if the job has the turn.
    func begin(_ job: Turns.Job) -> WLError? { turns.withLock { $0.begin(job) }.map { Self.refusal(during: $0) } }

    /// Runs the job that has the turn, and ends the turn.
    /// - Throws: `CancellationError` if the task is cancelled already.
    func runBegun<Value>(_ body: () async throws -> Value) async throws -> Value {
        defer { turns.withLock { $0.finish() }?.resume(returning: .run) }
        try Task.checkCancellation()
        return try await body()
    }

    private static func refusal(during job: Turns.Job) -> WLError {
        WLError(
            .alreadyInProgress,
            "AUTHORIZATION_FAILURE: \(name(of: job)) is already in process; retry when it has completed.")
    }

    private func wait(for job: Turns.Job) async -> Outcome {
        let id = turns.withLock { $0.makeID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let outcome = turns.withLock { turns -> Outcome? in
                    // The cancellation handler may have run before the waiter was added.
                    guard !Task.isCancelled else { return .cancelled }
                    return switch turns.start(job, id: id, waiter) {
                    case .run: .run
                    case .wait: nil
                    case .refuse(let current): .refused(current)
                    }
                }
                if let outcome { waiter.resume(returning: outcome) }
            }
        } onCancel: {
            turns.withLock { $0.cancel(id) }?.resume(returning: .cancelled)
        }
    }

    private static func name(of job: Turns.Job) -> String {
        switch job {
        case .login: "a login"
        case .logout: "a logout"
        case .registration: "a registration"
        case .token: "an authorization"
        }
    }
}

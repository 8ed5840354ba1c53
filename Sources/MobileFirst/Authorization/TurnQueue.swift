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
        case .refused(let current):
            throw WLError(
                .alreadyInProgress,
                "AUTHORIZATION_FAILURE: \(Self.name(of: current)) is already in process; retry when it has completed.")
        }
        defer { turns.withLock { $0.finish() }?.resume(returning: .run) }
        return try await body()
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

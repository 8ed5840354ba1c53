import Authentication
import Coordination
import Synchronization

/// Runs authorizations one at a time; see ``AuthorizationTurns``.
final class TurnQueue: Sendable {
    enum Outcome: Sendable {
        case run
        case refused(Turns.Job)
        case cancelled
        /// The app has logged out, or set another server.
        case sessionEnded
    }

    typealias Turns = AuthorizationTurns<CheckedContinuation<Outcome, Never>>

    /// The turn of a job. Run it exactly once.
    struct Turn: Sendable {
        fileprivate let queue: TurnQueue
        fileprivate let id: Int
    }

    @TaskLocal private static var current: Turn?

    private let turns = Mutex(Turns())

    /// Runs a job when it is its turn.
    /// - Throws: ``WLError`` (`alreadyInProgress` for a login or logout during another job; `cancelled` if the session
    ///   ends before its turn); `CancellationError` if the task is cancelled before its turn.
    func run<Value>(_ job: Turns.Job, _ body: () async throws -> Value) async throws -> Value {
        let id = turns.withLock { $0.makeID() }
        switch await wait(for: job, id: id) {
        case .run: break
        case .cancelled: throw CancellationError()
        case .sessionEnded: throw WLError.sessionEnded
        case .refused(let current): throw Self.refusal(during: current)
        }
        return try await run(Turn(queue: self, id: id), body)
    }

    /// Takes the turn of a login or logout at once.
    ///
    /// A logout ends a token's job that asks the user: its dialog is the former user's.
    /// - Throws: ``WLError`` (`alreadyInProgress`) during another job.
    func begin(_ job: Turns.Job) throws(WLError) -> Turn {
        let (id, current, ended) = turns.withLock { turns in
            let id = turns.makeID()
            if job == .logout, let ended = turns.beginLogout(id: id) { return (id, nil as Turns.Job?, ended) }
            return (id, turns.begin(job, id: id), Turns.Ended())
        }
        finish(ended)
        if let current { throw Self.refusal(during: current) }
        return Turn(queue: self, id: id)
    }

    /// Runs the job that has a turn, and ends the turn.
    /// - Throws: `CancellationError` if the task is cancelled already.
    func run<Value>(_ turn: Turn, _ body: () async throws -> Value) async throws -> Value {
        defer { turns.withLock { $0.finish(turn.id) }?.resume(returning: .run) }
        try Task.checkCancellation()
        return try await Self.$current.withValue(turn) { try await body() }
    }

    /// Ends the job that asks the user, and the tokens that wait.
    func endSession() { finish(turns.withLock { $0.endSession() }) }

    private func finish(_ ended: Turns.Ended) {
        for waiter in ended.waiters { waiter.resume(returning: .sessionEnded) }
        ended.stop?()
        ended.next?.resume(returning: .run)
    }

    /// Asks the app's user in the current job, or in the call of a resource, and waits for the input.
    /// - Parameters:
    ///   - stop: ends `question` early; called at most twice, on any thread, also before `question` has begun to wait.
    /// - Throws: ``WLError`` (`cancelled`) if the session ends meanwhile; `RefreshDemand.Abandoned` if no call waits
    ///   for the job.
    static func ask<Input>(
        stop: @escaping @Sendable () -> Void, _ question: () async throws -> Input
    ) async throws -> Input {
        guard let turn = current else { return try await question() }
        guard turn.queue.turns.withLock({ $0.ask(turn.id, stop: stop) }) else { throw WLError.sessionEnded }
        let input: Result<Input, any Error>
        do {
            if let demand = RunningWork.context(RefreshDemand.self) {
                input = .success(try await demand.ask(stop: stop, question))
            } else {
                input = .success(try await question())
            }
        } catch {
            input = .failure(error)
        }
        guard turn.queue.turns.withLock({ $0.resume(turn.id) }) else { throw WLError.sessionEnded }
        return try input.get()
    }

    /// Calls code of the app, which is not part of the current job.
    static func leave(_ callback: () -> Void) { $current.withValue(nil) { callback() } }

    private static func refusal(during job: Turns.Job) -> WLError {
        WLError(
            .alreadyInProgress,
            "AUTHORIZATION_FAILURE: \(name(of: job)) is already in process; retry when it has completed.")
    }

    private func wait(for job: Turns.Job, id: Int) async -> Outcome {
        await withTaskCancellationHandler {
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

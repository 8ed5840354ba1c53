import Authentication
import Coordination
import Synchronization

/// Runs authorizations one at a time; see ``AuthorizationTurns``.
final class TurnQueue: Sendable {
    enum Outcome: Sendable {
        case run
        case cancelled
        /// The app has logged out, or set another server.
        case sessionEnded
    }

    typealias Turns = AuthorizationTurns<Promise<Outcome>, Promise<Bool>>

    /// The turn of a job. Run it exactly once.
    struct Turn: Sendable {
        fileprivate let queue: TurnQueue
        fileprivate let id: Int
    }

    @TaskLocal private static var current: Turn?

    private let turns = Mutex(Turns())

    /// Runs a job when it is its turn. A refresh that no call waits for any more loses its place.
    /// - Throws: ``WLError`` (`alreadyInProgress` for a login or logout during another job; `cancelled` if the session
    ///   ends before its turn); `CancellationError` if the task is cancelled before its turn.
    func run<Value>(_ job: Turns.Job, _ body: () async throws -> Value) async throws -> Value {
        let id = turns.withLock { $0.makeID() }
        do {
            try await RefreshDemand.whileAwaited { try await wait(for: job, id: id) }
        } catch {
            // The turn may have come too late.
            finish(id)
            throw error
        }
        return try await run(Turn(queue: self, id: id), body)
    }

    private func finish(_ id: Int) { turns.withLock { $0.finish(id) }?.fulfill(.run) }

    private func wait(for job: Turns.Job, id: Int) async throws {
        try Task.checkCancellation()
        let turn = Promise<Outcome>()
        switch turns.withLock({ $0.start(job, id: id, turn) }) {
        case .run: return
        case .refuse(let current): throw Self.refusal(during: current)
        case .wait: break
        }
        switch await turn.value(onCancel: { turns.withLock { $0.cancel(id) }?.fulfill(.cancelled) }) {
        case .run: return
        case .cancelled: throw CancellationError()
        case .sessionEnded: throw WLError.sessionEnded
        }
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
        defer { finish(turn.id) }
        try Task.checkCancellation()
        return try await Self.$current.withValue(turn) { try await body() }
    }

    /// Ends the job that asks the user, and the tokens that wait. Another running job fails if it has to ask.
    /// - Parameter begin: begins the next session, whose jobs this does not end. Called with the lock held.
    /// - Returns: the ended jobs, which wait until ``finish(_:)``.
    func endSession(_ begin: @Sendable () -> Void) -> Turns.Ended {
        turns.withLock { turns in
            begin()
            return turns.endSession()
        }
    }

    /// Lets the ended jobs go, and the next one run.
    func finish(_ ended: Turns.Ended) {
        for waiter in ended.waiters { waiter.fulfill(.sessionEnded) }
        ended.question?.fulfill(true)
        ended.next?.fulfill(.run)
    }

    /// Asks the app's user in the current job, or in the call of a resource, and waits for the input.
    /// - Parameter question: is cancelled when the session ends, or when no call waits for the job any more.
    /// - Throws: ``WLError`` (`cancelled`) if the session has ended since the turn began, or ends meanwhile;
    ///   `CancellationError` if no call waits for the job.
    static func ask<Input: Sendable>(_ question: @escaping @Sendable () async throws -> Input) async throws -> Input {
        guard let turn = current else { return try await question() }
        return try await turn.queue.ask(turn.id, question)
    }

    private func ask<Input: Sendable>(
        _ id: Int, _ question: @escaping @Sendable () async throws -> Input
    ) async throws -> Input {
        let end = Promise<Bool>()
        guard turns.withLock({ $0.ask(id, end) }) else { throw WLError.sessionEnded }
        let input: Result<Input, any Error>
        do {
            input = .success(try await RefreshDemand.whileAwaited { try await end.runCancellable(question) })
        } catch {
            input = .failure(error)
        }
        guard turns.withLock({ $0.resume(id) }) else { throw WLError.sessionEnded }
        return try input.get()
    }

    /// Tells whether the current job still asks the user: not after a logout or another server. True without a job.
    static var isAsking: @Sendable () -> Bool {
        guard let turn = current else { return { true } }
        return { turn.queue.turns.withLock { $0.isAsking(turn.id) } }
    }

    /// Calls code of the app, which is not part of the current job.
    static func leave(_ callback: () -> Void) { $current.withValue(nil) { callback() } }

    private static func refusal(during job: Turns.Job) -> WLError {
        WLError(
            .alreadyInProgress,
            "AUTHORIZATION_FAILURE: \(name(of: job)) is already in process; retry when it has completed.")
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

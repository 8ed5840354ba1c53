import Authentication
import Coordination
import Synchronization

/// Runs authorizations one at a time; see ``AuthorizationQueueState``.
final class AuthorizationQueue: Sendable {
    enum Outcome: Sendable {
        case run
        case cancelled
        /// The app has logged out, or set another server.
        case sessionEnded
    }

    typealias State = AuthorizationQueueState<Promise<Outcome>, Promise<Bool>>

    /// What a job that runs now holds. Run it exactly once.
    struct Lease: Sendable {
        fileprivate let queue: AuthorizationQueue
        fileprivate let id: Int
    }

    @TaskLocal private static var current: Lease?

    private let state = Mutex(State())

    /// Runs a job when no other one runs. A refresh that no call waits for any more is removed from the queue.
    /// - Throws: ``WLError`` (`alreadyInProgress` for a login or logout during another job; `cancelled` if the session
    ///   ends while it waits); `CancellationError` if the task is cancelled while it waits.
    func run<Value>(_ job: State.Job, _ body: () async throws -> Value) async throws -> Value {
        let id = state.withLock { $0.makeID() }
        do {
            try await RefreshDemand.whileAwaited { try await wait(for: job, id: id) }
        } catch {
            // The job may be the running one already.
            finish(id)
            throw error
        }
        return try await run(Lease(queue: self, id: id), body)
    }

    private func finish(_ id: Int) { state.withLock { $0.finish(id) }?.fulfill(.run) }

    private func wait(for job: State.Job, id: Int) async throws {
        try Task.checkCancellation()
        let outcome = Promise<Outcome>()
        switch state.withLock({ $0.start(job, id: id, outcome) }) {
        case .run: return
        case .refuse(let current): throw Self.refusal(during: current)
        case .wait: break
        }
        switch await outcome.value(onCancel: { state.withLock { $0.cancel(id) }?.fulfill(.cancelled) }) {
        case .run: return
        case .cancelled: throw CancellationError()
        case .sessionEnded: throw WLError.sessionEnded
        }
    }

    /// Begins a login or logout at once.
    ///
    /// A logout ends a token's job that asks the user: its dialog is the former user's.
    /// - Throws: ``WLError`` (`alreadyInProgress`) during another job.
    func begin(_ job: State.Job) throws(WLError) -> Lease {
        let (id, current, ended) = state.withLock { state in
            let id = state.makeID()
            if job == .logout, let ended = state.beginLogout(id: id) { return (id, nil as State.Job?, ended) }
            return (id, state.begin(job, id: id), State.Ended())
        }
        finish(ended)
        if let current { throw Self.refusal(during: current) }
        return Lease(queue: self, id: id)
    }

    /// Runs the job that has a lease, and lets the next one run.
    /// - Throws: `CancellationError` if the task is cancelled already.
    func run<Value>(_ lease: Lease, _ body: () async throws -> Value) async throws -> Value {
        defer { finish(lease.id) }
        try Task.checkCancellation()
        return try await Self.$current.withValue(lease) { try await body() }
    }

    /// Ends the job that asks the user, and the tokens that wait. Another running job fails if it has to ask.
    /// - Parameter begin: begins the next session, whose jobs this does not end. Called with the lock held.
    /// - Returns: the ended jobs, which wait until ``finish(_:)``.
    func endSession(_ begin: @Sendable () -> Void) -> State.Ended {
        state.withLock { state in
            begin()
            return state.endSession()
        }
    }

    /// Lets the ended jobs go, and the next one run.
    func finish(_ ended: State.Ended) {
        for waiter in ended.waiters { waiter.fulfill(.sessionEnded) }
        ended.question?.fulfill(true)
        ended.next?.fulfill(.run)
    }

    /// Asks the app's user in the current job, or in the call of a resource, and waits for the input.
    /// - Parameter question: is cancelled when the session ends, or when no call waits for the job any more.
    /// - Throws: ``WLError`` (`cancelled`) if the session has ended since the job began, or ends meanwhile;
    ///   `CancellationError` if no call waits for the job.
    static func ask<Input: Sendable>(_ question: @escaping @Sendable () async throws -> Input) async throws -> Input {
        guard let lease = current else { return try await question() }
        return try await lease.queue.ask(lease.id, question)
    }

    private func ask<Input: Sendable>(
        _ id: Int, _ question: @escaping @Sendable () async throws -> Input
    ) async throws -> Input {
        let end = Promise<Bool>()
        guard state.withLock({ $0.ask(id, end) }) else { throw WLError.sessionEnded }
        let input: Result<Input, any Error>
        do {
            input = .success(try await RefreshDemand.whileAwaited { try await end.runCancellable(question) })
        } catch {
            input = .failure(error)
        }
        guard state.withLock({ $0.resume(id) }) else { throw WLError.sessionEnded }
        return try input.get()
    }

    /// Tells whether the current job still asks the user: not after a logout or another server. True without a job.
    static var isAsking: @Sendable () -> Bool {
        guard let lease = current else { return { true } }
        return { lease.queue.state.withLock { $0.isAsking(lease.id) } }
    }

    /// Calls code of the app, which is not part of the current job.
    static func leave(_ callback: () -> Void) { $current.withValue(nil) { callback() } }

    private static func refusal(during job: State.Job) -> WLError {
        WLError(
            .alreadyInProgress,
            "AUTHORIZATION_FAILURE: \(name(of: job)) is already in process; retry when it has completed.")
    }

    private static func name(of job: State.Job) -> String {
        switch job {
        case .login: "a login"
        case .logout: "a logout"
        case .registration: "a registration"
        case .token: "an authorization"
        }
    }
}

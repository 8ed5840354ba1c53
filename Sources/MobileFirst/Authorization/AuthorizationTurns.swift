/// The rule that one authorization runs at a time, as a state machine without locks.
///
/// ```
/// idle     -start->                running    runs
/// running  -start token->          running    waits, FIFO
/// running  -start login, logout->  running    refused
/// running  -cancel->               running    a waiter less; the running job goes on
/// running  -finish->               running    the first waiter runs; idle without waiters
/// ```
struct AuthorizationTurns<Waiter> {
    /// What an authorization is for.
    enum Job: Hashable, Sendable {
        case token
        case login
        case logout
        case registration
    }

    enum StartResult: Hashable, Sendable {
        case run
        case wait
        /// Refused, because of the running job.
        case refuse(Job)
    }

    private var running: Job?
    private var waiters: [(id: Int, job: Job, waiter: Waiter)] = []
    private var lastID = 0

    /// Makes an ID for a waiter.
    mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    /// Starts a job, unless another one runs.
    /// - Returns: the other one; nil if the job runs now.
    mutating func begin(_ job: Job) -> Job? {
        if let running { return running }
        running = job
        return nil
    }

    /// Starts a job, or keeps its waiter.
    mutating func start(_ job: Job, id: Int, _ waiter: @autoclosure () -> Waiter) -> StartResult {
        guard let current = begin(job) else { return .run }
        guard job == .token || job == .registration else { return .refuse(current) }
        waiters.append((id, job, waiter()))
        return .wait
    }

    /// Removes a waiter; nil if it is no longer waiting.
    mutating func cancel(_ id: Int) -> Waiter? {
        waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0).waiter }
    }

    /// Ends the running job.
    /// - Returns: the waiter of the next one, which runs now.
    mutating func finish() -> Waiter? {
        guard !waiters.isEmpty else {
            running = nil
            return nil
        }
        let next = waiters.removeFirst()
        running = next.job
        return next.waiter
    }
}

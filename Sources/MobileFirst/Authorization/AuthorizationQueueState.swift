/// The rule that one authorization runs at a time, as a state machine without locks.
///
/// ```
/// idle     -start->                running    runs
/// running  -start token->          running    waits, FIFO
/// running  -start login, logout->  running    refused
/// running  -cancel->               running    a waiter less; the running job goes on
/// running  -ask->                  asking     waits for the app's user; refused after an end of the session
/// running  -end session->          running    the job asks no question any more; tokens that wait end
/// running  -finish->               running    the first waiter runs; idle without waiters
/// asking   -start logout->         running    the logout runs in place of a token; tokens that wait end
/// asking   -end session->          running    the job is removed, and the first waiter runs; tokens that wait end
/// asking   -resume->               running
/// asking   -any other event->      asking     as in running
/// ```
/// A job that has been removed ends without effect on the next one.
struct AuthorizationQueueState<Waiter, Question> {
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

    /// The jobs that a logout or another server ends.
    struct Ended {
        /// The question to the user of the job that has been removed.
        var question: Question?
        var waiters: [Waiter] = []
        /// The waiter of the job that runs now.
        var next: Waiter?
    }

    private struct Running {
        let id: Int
        let job: Job
        /// The question to the user, while the job asks.
        var question: Question?
        /// True after the end of its session, in which the job may no longer ask.
        var isOfFormerSession = false
    }

    private var running: Running?
    private var waiters: [(id: Int, job: Job, waiter: Waiter)] = []
    private var lastID = 0

    /// Makes an ID for a job.
    mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    /// Starts a job, unless another one runs.
    /// - Returns: the other one; nil if the job runs now.
    mutating func begin(_ job: Job, id: Int) -> Job? {
        if let running { return running.job }
        running = Running(id: id, job: job)
        return nil
    }

    /// Starts a logout in place of a token's job that asks the user.
    /// - Returns: nil if there is none.
    mutating func beginLogout(id: Int) -> Ended? {
        guard let question = running?.question, running?.job == .token else { return nil }
        running = Running(id: id, job: .logout)
        return Ended(question: question, waiters: takeTokens())
    }

    /// Ends the jobs of a session: the one that asks the user, and the tokens that wait. A running job that does not
    /// ask goes on without questions, which would be those of the former server.
    mutating func endSession() -> Ended {
        var ended = Ended(waiters: takeTokens())
        running?.isOfFormerSession = true
        if let running, let question = running.question {
            ended.question = question
            ended.next = finish(running.id)
        }
        return ended
    }

    private mutating func takeTokens() -> [Waiter] {
        defer { waiters.removeAll { $0.job == .token } }
        return waiters.filter { $0.job == .token }.map(\.waiter)
    }

    /// Starts a job, or keeps its waiter.
    mutating func start(_ job: Job, id: Int, _ waiter: Waiter) -> StartResult {
        guard let current = begin(job, id: id) else { return .run }
        guard job == .token || job == .registration else { return .refuse(current) }
        waiters.append((id, job, waiter))
        return .wait
    }

    /// Removes a waiter; nil if it is no longer waiting.
    mutating func cancel(_ id: Int) -> Waiter? {
        waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0).waiter }
    }

    /// Begins a question to the user.
    /// - Returns: false if the job has been removed, or its session has ended.
    mutating func ask(_ id: Int, _ question: Question) -> Bool {
        guard let running, running.id == id, !running.isOfFormerSession else { return false }
        self.running?.question = question
        return true
    }

    /// True while a job runs and asks the user.
    func isAsking(_ id: Int) -> Bool { running?.id == id && running?.question != nil }

    /// Ends the question to the user.
    /// - Returns: false if the job has been removed.
    mutating func resume(_ id: Int) -> Bool {
        guard running?.id == id else { return false }
        running?.question = nil
        return true
    }

    /// Ends a job, unless it has been removed.
    /// - Returns: the waiter of the next one, which runs now.
    mutating func finish(_ id: Int) -> Waiter? {
        guard running?.id == id else { return nil }
        guard !waiters.isEmpty else {
            running = nil
            return nil
        }
        let next = waiters.removeFirst()
        running = Running(id: next.id, job: next.job)
        return next.waiter
    }
}

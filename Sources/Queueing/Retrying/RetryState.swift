import Foundation
import HTTPMessages
import Transport

/// One call that is repeated, as a state machine: takes how its attempts ended, says what to do. It knows no transport
/// and no clock. Made when the first attempt was not good enough.
struct RetryState<Strategy: RetryStrategy> {
    enum Action: Equatable {
        /// The call ends as the attempt did.
        case finish
        /// The call ends with this error: the server asks for a wait that is longer than the cap.
        case refuse(RetryError)
        /// Wait until then, if there is anything to wait for, and ask ``RetryState/next(now:)``.
        case wait(until: Duration?, after: TransportError.Attempt)
    }

    private let request: HTTPRequest
    private let strategy: Strategy
    private let started: Duration
    /// All attempts, oldest first.
    private(set) var attempts: [TransportError.Attempt] = []
    /// As ``attempts``, with those that a layer below has made in the place of one.
    private var listed: [TransportError.Attempt] = []

    init(_ request: HTTPRequest, strategy: Strategy, started: Duration) {
        self.request = request
        self.strategy = strategy
        self.started = started
    }

    /// The request as it is sent. The limit of the attempts is this layer's business.
    var first: HTTPRequest {
        guard request.options.maximumAttempts != nil else { return request }
        var request = request
        request.options.maximumAttempts = 1
        return request
    }

    /// An attempt has ended.
    /// - Parameters:
    ///   - now: the time on the clock of `started`.
    ///   - date: the time by the wall clock.
    ///   - random: a random number from 0 up to but not including 1.
    mutating func ended(_ outcome: EndedAttempt.Outcome, now: Duration, date: Date, random: Double) -> Action {
        let attempt = EndedAttempt(request, outcome: outcome, earlier: attempts, date: date)
        let decision = decision(after: attempt, now: now, random: random)
        let delay: Duration? = if case .retry(let delay) = decision { delay } else { nil }
        let entry = outcome.attempt(delay: delay)
        attempts.append(entry)
        listed += outcome.attempts(delay: delay)
        switch decision {
        case .stop: return .finish
        case .refuse(let head, let asked, let cap):
            return .refuse(RetryError(request, retryAfter: asked, cap: cap, head: head, attempts: listed))
        case .retry(let delay): return .wait(until: delay == .zero ? nil : now + delay, after: entry)
        }
    }

    private enum Decision {
        case stop
        case refuse(HTTPResponseHead, retryAfter: Duration, cap: Duration)
        case retry(after: Duration)
    }

    private func decision(after attempt: EndedAttempt, now: Duration, random: Double) -> Decision {
        guard attempt.error?.code != .cancelled else { return .stop }
        guard strategy.triage.isWorthRepeating(attempt) else {
            if let status = attempt.status, status.kind != .serverError { strategy.permission.callSucceeded() }
            return .stop
        }
        guard request.body.isReplayable, attempt.number < request.options.maximumAttempts ?? .max else { return .stop }
        if let asked = attempt.retryAfter, let cap = strategy.delay.longestRetryAfter, asked > cap {
            // An error says itself how long it lasts; a response alone would hide why it is not retried.
            guard let head = attempt.head, strategy.permission.allowsRepeating(attempt) else { return .stop }
            return .refuse(head, retryAfter: asked, cap: cap)
        }
        let delay = strategy.delay.delay(after: attempt, random: random).bounded
        if let rest = rest(now: now), delay >= rest { return .stop }
        return strategy.permission.allowsRepeating(attempt) ? .retry(after: delay) : .stop
    }

    /// The request to send after the wait, with the time that is left for it.
    /// - Throws: `TransportError` (`timedOut`) when none is left, because somebody woke late.
    func next(now: Duration) throws(TransportError) -> HTTPRequest {
        guard let rest = rest(now: now) else { return first }
        guard rest > .zero else {
            let message = "Timed out: the request and its retries took longer than the total timeout."
            throw listing(TransportError(.timedOut, message, request: request, phase: .total))
        }
        var request = first
        request.options.timeouts.total = rest
        return request
    }

    /// What the call ends with when this was its last attempt.
    func conclusion<Answer>(_ outcome: Result<Answer, TransportError>) throws(TransportError) -> Answer {
        try outcome.mapError(listing).get()
    }

    /// The error of a body that failed while its reader had it, after which nothing is repeated.
    func conclusion(ofBody error: any Error) -> any Error {
        guard let error = error as? TransportError else { return error }
        var state = self
        // A head that ended the call without being good was noted as an attempt; the failure is the end of the same one.
        if state.hasEnded { state.listed.removeLast() }
        state.listed += EndedAttempt.Outcome.failure(error).attempts(delay: nil)
        return state.listing(error)
    }

    /// What the call ends with when it is cancelled during a wait.
    var cancellation: TransportError {
        listing(TransportError(.cancelled, "The call was cancelled.", request: request))
    }

    /// An error that tells of all attempts.
    private func listing(_ error: TransportError) -> TransportError {
        var error = error
        error.attempts = listed
        return error
    }

    /// As the other one, for a request that did not come through a queue again.
    func listing(_ error: QueueError) -> QueueError {
        var error = error
        error.attempts = listed
        return error
    }

    /// True when there is no attempt after those that were noted.
    private var hasEnded: Bool { attempts.last.map { $0.delay == nil } ?? false }

    private func rest(now: Duration) -> Duration? {
        request.options.timeouts.total.map { $0 - (now - started) }
    }
}

import Foundation
import HTTPMessages
import Transport

/// One call that is repeated, as a state machine: takes how its attempts ended, says what to do. It knows no transport
/// and no clock. Made when the first attempt was not good enough.
struct RetryState<Strategy: RetryStrategy> {
    enum Action: Equatable {
        /// The call ends as the attempt did.
        case finish
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
        let delay = delay(after: attempt, now: now, random: random)
        let entry = outcome.attempt(delay: delay)
        attempts.append(entry)
        listed += outcome.attempts(delay: delay)
        guard let delay else { return .finish }
        return .wait(until: delay == .zero ? nil : now + delay, after: entry)
    }

    /// The wait before the next attempt, or nil when there is none.
    private func delay(after attempt: EndedAttempt, now: Duration, random: Double) -> Duration? {
        guard attempt.error?.code != .cancelled else { return nil }
        guard strategy.triage.isWorthRepeating(attempt) else {
            if let status = attempt.status, status.kind != .serverError { strategy.permission.callSucceeded() }
            return nil
        }
        guard request.body.isReplayable, attempt.number < request.options.maximumAttempts ?? .max else { return nil }
        let delay = strategy.delay.delay(after: attempt, random: random).bounded
        if let rest = rest(now: now), delay >= rest { return nil }
        return strategy.permission.allowsRepeating(attempt) ? delay : nil
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

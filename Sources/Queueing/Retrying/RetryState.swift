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

    init(_ request: HTTPRequest, strategy: Strategy, started: Duration) {
        self.request = request
        self.strategy = strategy
        self.started = started
    }

    /// An attempt has ended.
    /// - Parameters:
    ///   - now: the time on the clock of `started`.
    ///   - date: the time by the wall clock.
    ///   - random: a random number from 0 up to but not including 1.
    mutating func ended(_ outcome: EndedAttempt.Outcome, now: Duration, date: Date, random: Double) -> Action {
        let attempt = EndedAttempt(request, outcome: outcome, earlier: attempts, date: date)
        let delay = delay(after: attempt, now: now, random: random)
        let entry = TransportError.Attempt(outcome, delay: delay)
        attempts.append(entry)
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
        guard request.body.isReplayable else { return nil }
        let delay = strategy.delay.delay(after: attempt, random: random).bounded
        if let rest = rest(now: now), delay >= rest { return nil }
        return strategy.permission.allowsRepeating(attempt) ? delay : nil
    }

    /// The request to send after the wait, with the time that is left for it.
    /// - Throws: `TransportError` (`timedOut`) when none is left, because somebody woke late.
    func next(now: Duration) throws(TransportError) -> HTTPRequest {
        guard let rest = rest(now: now) else { return request }
        guard rest > .zero else {
            let message = "The request and its repeats were not done in time."
            throw listing(TransportError(.timedOut, message, request: request, phase: .total))
        }
        var request = request
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
        if state.hasEnded { state.attempts.removeLast() }
        state.attempts.append(TransportError.Attempt(.failure(error), delay: nil))
        return state.listing(error)
    }

    /// What the call ends with when it is cancelled during a wait.
    var cancellation: TransportError {
        listing(TransportError(.cancelled, "The call was cancelled.", request: request))
    }

    /// An error that tells of all attempts.
    private func listing(_ error: TransportError) -> TransportError {
        var error = error
        error.attempts = attempts
        return error
    }

    /// True when there is no attempt after those that were noted.
    private var hasEnded: Bool { attempts.last.map { $0.delay == nil } ?? false }

    private func rest(now: Duration) -> Duration? {
        request.options.timeouts.total.map { $0 - (now - started) }
    }
}

extension TransportError.Attempt {
    fileprivate init(_ outcome: EndedAttempt.Outcome, delay: Duration?) {
        switch outcome {
        case .response(let head): self.init(.status(head.status), delay: delay)
        case .failure(let error): self.init(.failure(error.code, error.message), delay: delay)
        }
    }
}

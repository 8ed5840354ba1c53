import Foundation
import HTTPMessages
import Transport

/// The retries of one call, as a state machine: attempts end, actions result. It has no transport and no clock.
///
/// ```
/// attempt -> finish                 the attempt is the last one
/// attempt -> refuse                 `Retry-After` exceeds the maximum
/// attempt -> wait -> attempt        attemptEnded, then nextRequest
/// wait    -> timed out              nextRequest after the total deadline
/// ```
struct RetryState<Strategy: RetryStrategy> {
    enum Action: Equatable {
        /// End the call with the outcome of the attempt.
        case finish
        /// End the call with this error.
        case refuse(RetryError)
        /// Wait until that time, if any, then call ``RetryState/nextRequest(now:)``.
        case wait(until: Duration?, after: TransportError.AttemptRecord)
    }

    private let request: HTTPRequest
    private let strategy: Strategy
    private let started: Duration
    /// The attempts of this layer, oldest first.
    private(set) var attempts: [TransportError.AttemptRecord] = []
    /// As ``attempts``, with the attempts of a layer below in place of one attempt of this layer.
    private var allAttempts: [TransportError.AttemptRecord] = []

    init(_ request: HTTPRequest, strategy: Strategy, started: Duration) {
        self.request = request
        self.strategy = strategy
        self.started = started
    }

    /// The first request to send. Layers below must not retry if the request limits its attempts.
    var firstRequest: HTTPRequest {
        guard request.options.maximumAttempts != nil else { return request }
        var request = request
        request.options.maximumAttempts = 1
        return request
    }

    /// Records the end of an attempt.
    /// - Parameters:
    ///   - now: the time on the clock of `started`.
    ///   - date: the wall clock time.
    ///   - random: a random number from 0 up to but not including 1.
    mutating func attemptEnded(_ outcome: AttemptResult.Outcome, now: Duration, date: Date, random: Double) -> Action {
        let attempt = AttemptResult(request, outcome: outcome, previousAttempts: attempts, date: date)
        let decision = decision(after: attempt, now: now, random: random)
        let backoff: Duration? = if case .retry(let backoff) = decision { backoff } else { nil }
        let record = outcome.record(backoff: backoff)
        attempts.append(record)
        allAttempts += outcome.records(backoff: backoff)
        switch decision {
        case .stop: return .finish
        case .refuse(let head, let retryAfter, let cap):
            return .refuse(RetryError(request, retryAfter: retryAfter, cap: cap, head: head, attempts: allAttempts))
        case .retry(let backoff): return .wait(until: backoff == .zero ? nil : now + backoff, after: record)
        }
    }

    private enum Decision {
        case stop
        case refuse(HTTPResponseHead, retryAfter: Duration, cap: Duration)
        case retry(after: Duration)
    }

    private func decision(after attempt: AttemptResult, now: Duration, random: Double) -> Decision {
        guard attempt.error?.code != .cancelled else { return .stop }
        guard strategy.classifier.isRetryable(attempt) else {
            if let status = attempt.status, status.kind != .serverError { strategy.limiter.recordSuccess() }
            return .stop
        }
        guard request.body.isReplayable, attempt.number < request.options.maximumAttempts ?? .max else { return .stop }
        if let retryAfter = attempt.retryAfter, let cap = strategy.backoff.maximumRetryAfter, retryAfter > cap {
            // An error carries its own `retryAfter`; a response alone would not show why it is not retried.
            guard let head = attempt.head, strategy.limiter.allowsRetry(after: attempt) else { return .stop }
            return .refuse(head, retryAfter: retryAfter, cap: cap)
        }
        let backoff = strategy.backoff.duration(after: attempt, random: random).bounded
        if let remaining = remaining(now: now), backoff >= remaining { return .stop }
        return strategy.limiter.allowsRetry(after: attempt) ? .retry(after: backoff) : .stop
    }

    /// Returns the request for the next attempt, with the remaining total timeout.
    /// - Throws: `TransportError` (`timedOut`) if no time remains, because the wait ended late.
    func nextRequest(now: Duration) throws(TransportError) -> HTTPRequest {
        guard let remaining = remaining(now: now) else { return firstRequest }
        guard remaining > .zero else {
            let message = "Timed out: the request and its retries took longer than the total timeout."
            throw addingAttempts(to: TransportError(.timedOut, message, request: request, phase: .total))
        }
        var request = firstRequest
        request.options.timeouts.total = remaining
        return request
    }

    /// Returns the response of the last attempt, or throws its error with all attempts.
    func result<Response>(_ outcome: Result<Response, TransportError>) throws(TransportError) -> Response {
        try outcome.mapError { addingAttempts(to: $0) }.get()
    }

    /// Adds all attempts to the error of a body that failed after its head was returned.
    func error(ofBody error: any Error) -> any Error {
        guard let error = error as? TransportError else { return error }
        var state = self
        // The head of a final response that is no success was recorded as an attempt; the error replaces that record.
        if state.hasEnded { state.allAttempts.removeLast() }
        state.allAttempts += AttemptResult.Outcome.failure(error).records(backoff: nil)
        return state.addingAttempts(to: error)
    }

    /// The error of a call that is cancelled during a wait.
    var cancellation: TransportError {
        addingAttempts(to: TransportError(.cancelled, "The call was cancelled.", request: request))
    }

    private func addingAttempts(to error: TransportError) -> TransportError {
        var error = error
        error.attempts = allAttempts
        return error
    }

    /// Adds all attempts to the error of a queue that rejected a retry.
    func addingAttempts(to error: QueueError) -> QueueError {
        var error = error
        error.attempts = allAttempts
        return error
    }

    /// True if the last recorded attempt was final.
    private var hasEnded: Bool { attempts.last.map { $0.backoff == nil } ?? false }

    private func remaining(now: Duration) -> Duration? {
        request.options.timeouts.total.map { $0 - (now - started) }
    }
}

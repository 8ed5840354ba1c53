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
        case refuse(AdmissionError)
        /// Wait until that time, if any, then call ``RetryState/nextRequest(now:)``.
        case wait(until: Duration?, after: TransportError.AttemptRecord)
    }

    private let request: HTTPRequest
    private let strategy: Strategy
    private let started: Duration
    /// The attempts of this layer, oldest first.
    private(set) var attempts: [TransportError.AttemptRecord] = []
    /// As ``attempts`` without the last one; attempts of a layer below replace the one of this layer.
    private var earlierAttempts: [TransportError.AttemptRecord] = []
    /// The last attempt, likewise.
    private var lastAttempts: [TransportError.AttemptRecord] = []
    private var allAttempts: [TransportError.AttemptRecord] { earlierAttempts + lastAttempts }

    init(_ request: HTTPRequest, strategy: Strategy, started: Duration) {
        self.request = request
        self.strategy = strategy
        self.started = started
    }

    /// The first request to send. Layers below must not retry if the request limits its attempts.
    var firstRequest: HTTPRequest {
        var request = request
        request.options.useAttempts()
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
        earlierAttempts += lastAttempts
        lastAttempts = outcome.records(backoff: backoff)
        switch decision {
        case .stop: return .finish
        case .refuse(let head, let retryAfter, let cap):
            var error = AdmissionError.retryAfterTooLong(request, head: head, retryAfter: retryAfter, maximum: cap)
            error.attempts = allAttempts
            return .refuse(error)
        case .retry(let backoff): return .wait(until: backoff == .zero ? nil : now + backoff, after: record)
        }
    }

    private enum Decision {
        case stop
        case refuse(HTTPResponseHead, retryAfter: Duration, cap: Duration)
        case retry(after: Duration)
    }

    private func decision(after attempt: AttemptResult, now: Duration, random: Double) -> Decision {
        guard attempt.error.map({ $0.code != .cancelled && !$0.isExhausted }) ?? true,
            attempt.rejection.map({ $0.code == .circuitOpen }) ?? true
        else { return .stop }
        guard strategy.classifier.isRetryable(attempt) else {
            if let status = attempt.status, status.kind != .serverError { strategy.limiter.recordSuccess() }
            return .stop
        }
        // An upload waits itself after a response, and asks for the offset before it sends a part again.
        if request.options.isUploadStep, attempt.head != nil || !attempt.isKnownUnprocessed { return .stop }
        guard request.body.isReplayable, attempt.number < request.options.maximumAttempts ?? .max else { return .stop }
        if let retryAfter = attempt.retryAfter, let cap = strategy.backoff.maximumRetryAfter, retryAfter > cap {
            // A rejection has its own `retryAfter`; a response alone would not show why it is not retried.
            guard let head = attempt.head ?? attempt.error?.head, strategy.limiter.allowsRetry(after: attempt) else {
                return .stop
            }
            return .refuse(head, retryAfter: retryAfter, cap: cap)
        }
        let backoff = strategy.backoff.duration(after: attempt, random: random).bounded
        if let remaining = remaining(now: now), backoff >= remaining { return .stop }
        return strategy.limiter.allowsRetry(after: attempt) ? .retry(after: backoff) : .stop
    }

    /// Returns the request for the next attempt, with the remaining total timeout.
    /// - Throws: `TransportError` (`timedOut`) if no time remains, because the wait ended late.
    func nextRequest(now: Duration) throws(TransportError) -> HTTPRequest {
        var request = firstRequest
        request.options.setFurtherRequest(.retry)
        guard let remaining = remaining(now: now) else { return request }
        guard remaining > .zero else {
            let message = "Timed out: the request and its retries took longer than the total timeout."
            var error = TransportError.timedOut(.total, message, request: request)
            error.attempts = allAttempts
            throw error
        }
        request.options.timeouts.reduceTotal(to: remaining)
        return request
    }

    /// Returns the response of the last attempt with the attempts before it, or throws its error with all attempts.
    func result<Response: HTTPResponseProtocol>(_ outcome: Result<Response, any Error>) throws -> Response {
        switch outcome {
        case .success(var response):
            response.insertAttempts(attemptsBeforeResponse)
            return response
        case .failure(let error):
            throw error.replacingAttempts(with: allAttempts)
        }
    }

    /// Adds all attempts to the error of a body that failed after its head was returned.
    func error(ofBody error: any Error) -> any Error {
        guard let failure = error as? TransportError else { return error }
        return error.replacingAttempts(
            with: attemptsBeforeResponse + AttemptResult.Outcome.failure(failure).records(backoff: nil))
    }

    /// The error of a call that is cancelled during a wait.
    var cancellation: TransportError {
        var error = TransportError.cancelled(request)
        error.attempts = allAttempts
        return error
    }

    /// The attempts before a final response. One that is no success was recorded as the last attempt.
    var attemptsBeforeResponse: [TransportError.AttemptRecord] {
        attempts.last.map { $0.backoff == nil } ?? false ? earlierAttempts : allAttempts
    }

    /// The end of the total timeout, or nil without one.
    var totalDeadline: Duration? { request.options.timeouts.total.map { started + $0.bounded } }

    private func remaining(now: Duration) -> Duration? {
        request.options.timeouts.total.map { $0 - (now - started) }
    }
}

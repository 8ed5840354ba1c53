public import Foundation
public import HTTPMessages
public import Transport

/// A finished attempt of a request, as input for the roles of a ``RetryStrategy``.
public struct AttemptResult: Sendable {
    /// The outcome of an attempt.
    @nonexhaustive public enum Outcome: Sendable {
        /// A response.
        case response(HTTPResponseHead)
        /// An error of the transport.
        case failure(TransportError)
        /// A layer below refused to send the request.
        case rejection(AdmissionError)
    }

    /// The request.
    public let request: HTTPRequest
    /// The outcome.
    public let outcome: Outcome
    /// The attempts before it, oldest first.
    public let previousAttempts: [TransportError.AttemptRecord]
    /// The wall clock time of its end.
    public let date: Date

    /// A finished attempt.
    public init(
        _ request: HTTPRequest, outcome: Outcome, previousAttempts: [TransportError.AttemptRecord] = [],
        date: Date = Date()
    ) {
        self.request = request
        self.outcome = outcome
        self.previousAttempts = previousAttempts
        self.date = date
    }

    /// The number of the attempt, from 1.
    public var number: Int { previousAttempts.count + 1 }

    /// The response status, or nil without a response.
    public var status: HTTPStatus? { head?.status }

    /// The response head, or nil without a response.
    public var head: HTTPResponseHead? {
        if case .response(let head) = outcome { head } else { nil }
    }

    /// The error of the transport, or nil without one.
    public var error: TransportError? {
        if case .failure(let error) = outcome { error } else { nil }
    }

    /// The error of a layer that refused to send the request, or nil without one.
    public var rejection: AdmissionError? {
        if case .rejection(let error) = outcome { error } else { nil }
    }

    /// True if the attempt proves that no server has processed the request, so that even a `POST` may be retried.
    ///
    /// That holds if no connection was established (`connectionRefused`, `hostNotFound`), if a layer refused to send
    /// the request (`circuitOpen`), for a 429, and for a 503 with `Retry-After`. A 503 without it may come from a
    /// gateway whose server failed halfway; `unreachable` and `tls` may stand for a connection that was lost after
    /// sending. A response or an error after a redirect proves nothing: the redirecting server may have processed the
    /// request.
    public var isKnownUnprocessed: Bool {
        switch outcome {
        case .response(let head):
            guard head.redirects.isEmpty else { return false }
            return head.status == .tooManyRequests
                || (head.status == .serviceUnavailable && head.fields.contains(.retryAfter))
        case .failure(let error):
            let isUnsent = error.code.isConnectFailure || error.isTimeoutOfQueue
            return isUnsent && error.head == nil && error.isOf(request)
                && error.attempts.allSatisfy(\.isKnownUnsent)
        case .rejection(let error):
            return error.head == nil && error.isOf(request) && error.attempts.allSatisfy(\.isKnownUnsent)
        }
    }
}

extension AttemptResult.Outcome {
    /// The outcome for an error, or nil for an error of another type.
    ///
    /// A response that only exceeded the size limit counts as the response: a 503 means the same, however long its body
    /// is.
    init?(_ error: any Error) {
        switch error {
        case let error as TransportError:
            if error.code == .responseTooLarge, let head = error.head {
                self = .response(head)
            } else {
                self = .failure(error)
            }
        case let error as AdmissionError: self = .rejection(error)
        default: return nil
        }
    }
}

extension TransportError.AttemptRecord {
    fileprivate var isKnownUnsent: Bool { if case .status = cause { false } else { !isOutcomeUnknown } }

    /// True if a server may have processed the attempt, though it had no response.
    package var isOutcomeUnknown: Bool {
        if case .failure(let code, _) = cause { !code.isConnectFailure } else { false }
    }
}

extension ErrorCode where Failure == TransportError {
    fileprivate var isConnectFailure: Bool { self == .connectionRefused || self == .hostNotFound }
}

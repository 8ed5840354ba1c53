public import Foundation
public import HTTPMessages
public import Transport

/// One attempt to send a request that has ended: what the roles of a ``RetryStrategy`` judge.
public struct EndedAttempt: Sendable {
    /// How an attempt ended.
    public enum Outcome: Sendable {
        /// With a response.
        case response(HTTPResponseHead)
        /// With a failure of the transport.
        case failure(TransportError)
    }

    /// What was sent.
    public let request: HTTPRequest
    /// How it ended.
    public let outcome: Outcome
    /// The attempts before it, oldest first.
    public let earlier: [TransportError.Attempt]
    /// When it ended, by the wall clock.
    public let date: Date

    /// An attempt of these parts.
    public init(
        _ request: HTTPRequest, outcome: Outcome, earlier: [TransportError.Attempt] = [], date: Date = Date()
    ) {
        self.request = request
        self.outcome = outcome
        self.earlier = earlier
        self.date = date
    }

    /// Which attempt it was, counted from 1.
    public var number: Int { earlier.count + 1 }

    /// The status of its response, or nil.
    public var status: HTTPStatus? { head?.status }

    /// The head of its response, or nil.
    public var head: HTTPResponseHead? {
        if case .response(let head) = outcome { head } else { nil }
    }

    /// Its failure, or nil.
    public var error: TransportError? {
        if case .failure(let error) = outcome { error } else { nil }
    }

    /// True when it shows that no server has begun to act on the request, so that even a `POST` may be sent again.
    ///
    /// That is so when no connection came about (`connectionRefused`, `hostNotFound`, `circuitOpen`), with a 429, and
    /// with a 503 that says when to come back (`Retry-After`). A 503 without it may be a gateway's, for a server that
    /// broke off in the middle; `unreachable` and `tls` may stand for a connection that was lost after the request was
    /// sent. What came by a redirect shows nothing: the server that sent it may have done its part.
    public var showsNothingWasDone: Bool {
        switch outcome {
        case .response(let head):
            guard head.redirects.isEmpty else { return false }
            return head.status == .tooManyRequests
                || (head.status == .serviceUnavailable && head.fields.contains(.retryAfter))
        case .failure(let error):
            return error.code.meansNoConnection && error.head == nil
                // Else it was another request that failed, one to which a redirect has led.
                && (error.request.map { $0 == request.description } ?? true)
                && error.attempts.allSatisfy { attempt in
                    if case .failure(let code, _) = attempt.cause { code.meansNoConnection } else { false }
                }
        }
    }
}

extension EndedAttempt.Outcome {
    /// The outcome of an attempt that ended with an error: the response, where only its body was too large.
    ///
    /// A 503 means the same with a body that the caller would not have wanted anyway.
    init(_ error: TransportError) {
        if error.code == .responseTooLarge, let head = error.head {
            self = .response(head)
        } else {
            self = .failure(error)
        }
    }
}

extension TransportError.Code {
    fileprivate var meansNoConnection: Bool {
        self == .connectionRefused || self == .hostNotFound || self == .circuitOpen
    }
}

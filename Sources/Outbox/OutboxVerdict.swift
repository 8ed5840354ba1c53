import Authentication
public import HTTPMessages
import Queueing
import Transport

/// One attempt to send an entry, as input for a verdict.
public struct OutboxAttempt: Sendable {
    /// The entry, with the number of this attempt as its count of attempts.
    public let entry: OutboxEntry
    /// The response, or the error of the transport.
    ///
    /// A redirect that has made a write a `GET` without performing it, such as 302, is the response itself.
    public let result: Result<HTTPResponse, any Error>

    /// Creates an attempt, to test a rule of your own.
    public init(_ entry: OutboxEntry, _ result: Result<HTTPResponse, any Error>) {
        self.entry = entry
        self.result = result
    }
}

/// What an attempt means for its entry.
@nonexhaustive public enum OutboxVerdict: Hashable, Sendable {
    /// The entry is done: it is removed, and the response kept.
    case done
    /// Another attempt follows, with the same Idempotency-Key.
    /// - `after`: the wait before it; nil for ``OutboxOptions/backoff``. One of over two hours is tried once at each
    ///   start of the outbox, since the clock may have been set back meanwhile.
    case again(after: Duration? = nil)
    /// The entry has failed. It stays visible, and holds back its key.
    case failed

    /// The default rules.
    ///
    /// | outcome | verdict |
    /// |---|---|
    /// | 2xx; a 303, also if its target responds with an error | done |
    /// | 301 or 302 that has made a write a `GET`, unless its target responds 408, 425, 429 or 5xx | failed, as that redirect |
    /// | 408, 425, 429, 5xx | again |
    /// | 409 after an attempt whose outcome is unknown | again, four times: that attempt may still be in progress |
    /// | other statuses, also 409, 412 and 422 | failed |
    /// | no network, timeouts, a refusal of a layer, no credential | again |
    /// | 401 to a request without a credential, since the client of `.baseURL` is not made yet | again |
    /// | a request that cannot be sent, an untrusted certificate | failed |
    ///
    /// A call whose user the layers have signed out (`AuthenticationError`, `signedOut`) was not sent: it has no
    /// verdict, and its entry waits for the user.
    public static func standard(for attempt: OutboxAttempt) -> OutboxVerdict {
        switch attempt.result {
        // The request is not at fault: its client is not made yet. After a redirect, it may have been executed.
        case .success(let response) where response.head.wasAuthorized == false && response.head.redirects.isEmpty:
            .again()
        case .success(let response): standard(for: response.status, mayBeInProgress: attempt.entry.mayBeInProgress)
        case .failure(let error): isTransient(error) ? .again() : .failed
        }
    }

    private static func standard(for status: HTTPStatus, mayBeInProgress: Bool) -> OutboxVerdict {
        switch status.code {
        case 200..<300, 303: .done
        case _ where isTransient(status): .again()
        case 409: mayBeInProgress ? .again() : .failed
        default: .failed
        }
    }

    /// True for a status that says nothing about the request.
    static func isTransient(_ status: HTTPStatus) -> Bool {
        [408, 425, 429].contains(status.code) || status.code >= 500
    }

    private static func isTransient(_ error: any Error) -> Bool {
        switch error {
        case let error as TransportError: error.isTransient || error.code == .timedOut
        case let error as AdmissionError: error.code != .retryAfterTooLong || error.retryAfter != nil
        // The request is not at fault: it waits until the user has signed in.
        case is AuthenticationError: true
        default: error.isCancellation
        }
    }
}

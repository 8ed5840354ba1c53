public import Foundation
public import HTTPMessages
@_exported public import PatchbayErrors
public import Transport

/// A request that a layer refused to send: its queue, an open circuit, or the limit of a retry strategy.
///
/// The server did not get the request, or in case of `retryAfterTooLong` asked for a pause. Cancellation is a
/// `TransportError`, as in every layer. `description` holds no secrets: the URL is redacted, and neither fields nor the
/// body are shown.
public struct AdmissionError: ValueFreeError, Hashable {
    /// The kind of refusal.
    public let code: Code
    /// What is wrong and what to do about it.
    public let message: String
    /// The method and URL without secrets, or nil without a request.
    public let request: String?
    /// The URL of the request without secrets, or nil without a request.
    public let failingURL: String?
    /// The minimum wait before a retry, if known: the remaining open time of a circuit, or the server's `Retry-After`.
    public let retryAfter: Duration?
    /// The longest `Retry-After` that the strategy honors, for `retryAfterTooLong`.
    public let maximumRetryAfter: Duration?
    /// The timeout that expired, `queue` or `total`, when the code is `expired`.
    public internal(set) var phase: Timeouts.Phase?
    /// The length of that timeout, as it was set.
    public internal(set) var timeout: Duration?
    /// The limit, the wait and the time left, for `rateLimited`.
    public internal(set) var rateLimit: RateLimitWait?
    /// The head of the last response, for `retryAfterTooLong`.
    public let head: HTTPResponseHead?
    /// The first bytes of the last response's body, at most 1 KiB; empty for a streamed response and without one.
    public internal(set) var bodyPrefix = Data()
    /// All attempts of a retried request, oldest first and the refused one last; empty without a retrying layer.
    public package(set) var attempts: [TransportError.AttemptRecord] = []

    /// Set by a layer that sends other requests for a call. Nil without one: ``request`` is that of the call.
    package var originalRequest: TransportError.OriginalRequest?

    /// Makes an error. `message` must not hold secrets.
    public init(
        _ code: Code, _ message: String, request: HTTPRequest? = nil, retryAfter: Duration? = nil,
        maximumRetryAfter: Duration? = nil, head: HTTPResponseHead? = nil
    ) {
        self.code = code
        self.message = message
        self.request = request?.description
        failingURL = request?.redactedURL
        self.retryAfter = retryAfter
        self.maximumRetryAfter = maximumRetryAfter
        self.head = head
    }

    /// The request, the message, the number of attempts after retries, and the code.
    public var description: String { "\(explanation) [\(code)]" }
    /// ``description`` without the code, for facades with their own codes.
    package var explanation: String {
        let text = request.map { "\($0): \(message)" } ?? message
        return attempts.count > 1 ? attempts.appendingSummary(to: text) : text
    }
}

extension AdmissionError: AttemptListing {
    /// What the error is in a list of attempts.
    package var attemptCause: TransportError.AttemptRecord.Cause { .notSent("\(message) [\(code)]") }

    /// True if the request may be let in later, and the total timeout has not expired.
    package func isInterruption(hasProgress: Bool) -> Bool { permitsReconnection && phase != .total }
}

extension AdmissionError: StatusCarrying {
    /// The status of the response that came before the failure, or nil.
    package var responseStatus: HTTPStatus? { head?.status }
}

extension AdmissionError: ReconnectableError {
    /// True unless the server asks for a long pause, or the queue takes no more requests.
    package var permitsReconnection: Bool { code != .retryAfterTooLong && code != .queueDraining }
}

extension ErrorCode where Failure == AdmissionError {
    /// The queue is full; see ``QueueLimits/capacity``.
    public static var queueFull: Self { Self(1) }
    /// The queue is draining and rejects new calls; see ``RequestQueue/drain()``.
    public static var queueDraining: Self { Self(2) }
    /// The full queue dropped the request for a newer one; see ``QueueLimits/OverflowPolicy/dropOldest``.
    public static var dropped: Self { Self(3) }
    /// The queue timeout or the total timeout expired while the request waited in the queue.
    public static var expired: Self { Self(4) }
    /// The circuit of the origin is open after too many failures; see ``CircuitBreaking``.
    public static var circuitOpen: Self { Self(5) }
    /// The server's `Retry-After` exceeds ``RetryAfterBackoff/cap``.
    public static var retryAfterTooLong: Self { Self(6) }
    /// The wait for a rate limit would be longer than the call has time; see ``AdmissionError/rateLimit``.
    public static var rateLimited: Self { Self(7) }
    /// Too many calls wait for a rate limit; see ``RateLimiter/maximumWaiting``.
    public static var tooManyWaiting: Self { Self(8) }
}

extension AdmissionError {
    /// The code that `URLSession` uses for this failure: a timeout for `expired`, else nil.
    public var urlErrorCode: URLError.Code? { code == .expired ? .timedOut : nil }

    /// The description, the failing URL and, with a ``urlErrorCode``, an underlying error of `NSURLErrorDomain`.
    public var errorUserInfo: [String: Any] {
        userInfo(
            underlying: urlErrorCode.map {
                NSError(domain: NSURLErrorDomain, code: $0.rawValue, userInfo: userInfo(underlying: nil))
            })
    }
}

extension PatchbayError {
    /// The code that `URLSession` uses for the underlying failure of a facade's error, or nil.
    package var underlyingURLErrorCode: URLError.Code? {
        (underlying as? TransportError)?.urlErrorCode ?? (underlying as? AdmissionError)?.urlErrorCode
    }
}

extension AdmissionError {
    static func expired(_ request: HTTPRequest) -> AdmissionError {
        let timeouts = request.options.timeouts
        let phase: Timeouts.Phase = timeouts.queue.map { $0 <= timeouts.total ?? $0 } == true ? .queue : .total
        var error = AdmissionError(
            .expired, "Timed out in the queue: not started within \((timeouts[phase] ?? .zero).secondsText).",
            request: request)
        (error.phase, error.timeout) = (phase, timeouts[phase])
        return error
    }

    static func rateLimited(_ request: HTTPRequest, _ wait: RateLimitWait) -> AdmissionError {
        var error = AdmissionError(
            .rateLimited,
            "Rate limit (\(wait.limit)) for \(wait.key): the call would wait \(wait.wait.secondsText), and has "
                + "\(wait.timeLeft.secondsText); retry later, or raise its total timeout or `RateLimiter.maximumWait`.",
            request: request, retryAfter: wait.wait)
        error.rateLimit = wait
        return error
    }

    static func tooManyWaiting(
        _ request: HTTPRequest, limit: RateLimit, key: String, maximum: Int
    ) -> AdmissionError {
        AdmissionError(
            .tooManyWaiting,
            "Too many calls wait (maximum \(maximum)) for the rate limit (\(limit)) of \(key); retry later, or raise "
                + "`RateLimiter.maximumWaiting`.", request: request)
    }

    static func retryAfterTooLong(
        _ request: HTTPRequest, head: HTTPResponseHead, retryAfter: Duration, maximum: Duration
    ) -> AdmissionError {
        AdmissionError(
            .retryAfterTooLong,
            "\(head.status); the server asks to wait \(retryAfter.secondsText) before a retry (Retry-After), and "
                + "`RetryAfterBackoff.cap` allows \(maximum.secondsText).",
            request: request, retryAfter: retryAfter, maximumRetryAfter: maximum, head: head)
    }
}

import HTTPMessages
import Queueing
import Transport

/// The vendor's retry rule.
typealias ORARetry = Retry<UnsafeRetryClassifier, RetryAfterBackoff<ExponentialBackoff>, AttemptLimit>

extension RetryStrategy where Self == ORARetry {
    /// Retries after "internet or server failures" (vendor's page): transient network errors and every 5xx, also for a
    /// POST, which the server may then receive twice. The default of 2 attempts applies to requests without a limit. A
    /// longer `Retry-After` than `maximumRetryAfter` is not waited for: the response, or the error, is the last one.
    static func oracle(backoff: ExponentialBackoff, maximumRetryAfter: Duration) -> ORARetry {
        ORARetry(
            classifier: .any { outcome in
                if let wait = outcome.retryAfter, wait > maximumRetryAfter { return false }
                guard let error = outcome.error else { return outcome.status?.kind == .serverError }
                // A status counts also if the body was cut or cannot be decoded.
                return switch error.head?.status.kind {
                case .clientError: false
                case .serverError: error.isTransient || error.hasUnreadableBody
                default: error.isTransient
                }
            },
            backoff: RetryAfterBackoff(cap: maximumRetryAfter, minimum: backoff), limiter: .attempts(2))
    }
}

extension TransportError {
    fileprivate var hasUnreadableBody: Bool { code == .undecodableContent || code == .malformedResponse }
}

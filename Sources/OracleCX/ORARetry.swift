import HTTPMessages
import Queueing
import Transport

/// The vendor's retry rule.
typealias ORARetry = Retry<VendorTriage, RetryAfterDelay<ExponentialDelay>, AttemptLimit>

extension RetryStrategy where Self == ORARetry {
    /// Retries after "internet or server failures", as the vendor's page puts it: transient failures of the network and
    /// every 5xx, also of a POST, which a server may then see twice. Each request has its own limit, 1 retry by default.
    static func oracle(backoff: ExponentialDelay, maximumRetryAfter: Duration) -> ORARetry {
        ORARetry(
            triage: .regardlessOfMethod { $0.error?.isTransient ?? ($0.status?.kind == .serverError) },
            delay: RetryAfterDelay(cap: maximumRetryAfter, else: backoff), permission: .attempts(2))
    }
}

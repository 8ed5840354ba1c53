import HTTPMessages
import Queueing
import Transport

/// The vendor's rule for repeating requests.
typealias ORARetry = Retry<VendorTriage, RetryAfterDelay<ExponentialDelay>, AttemptLimit>

extension RetryStrategy where Self == ORARetry {
    /// Repeats after "internet or server failures", as the vendor's page puts it: what the network lost and every 5xx, a
    /// POST too, which a server may then see twice. How often is for each request to say; it says 1 by itself.
    static func oracle(backoff: ExponentialDelay) -> ORARetry {
        ORARetry(
            triage: .regardlessOfMethod { $0.error?.isTransient ?? ($0.status?.kind == .serverError) },
            delay: RetryAfterDelay(cap: .seconds(60), else: backoff), permission: .attempts(2))
    }
}

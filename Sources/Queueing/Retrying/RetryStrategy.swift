/// The decision whether and when to retry, in three independent roles.
///
/// Combine existing roles with ``Retry``, or implement the protocol to give a vendor's rule a name:
///
/// ```swift
/// struct VendorRetry: RetryStrategy {
///     let classifier = UnsafeRetryClassifier { $0.error != nil || $0.status?.kind == .serverError }
///     let backoff = ConstantBackoff(.zero)
///     let limiter = AttemptLimit(2)
/// }
/// ```
///
/// Regardless of the strategy, an attempt is the last one if it succeeded (2xx), was cancelled, failed with an error
/// other than `TransportError` and ``AdmissionError`` (`circuitOpen`), leaves no time before the total deadline, or has
/// a body that can be sent only once. So is one whose `Retry-After` exceeds ``Backoff/maximumRetryAfter``.
public protocol RetryStrategy: Sendable {
    /// The type of the classifier.
    associatedtype Classifier: RetryClassifier
    /// The type of the backoff.
    associatedtype BackoffPolicy: Backoff
    /// The type of the limiter.
    associatedtype Limiter: RetryLimiter

    /// Decides whether a retry is useful and safe.
    var classifier: Classifier { get }
    /// Computes the wait before a retry.
    var backoff: BackoffPolicy { get }
    /// Limits the number of retries.
    var limiter: Limiter { get }
}

/// Classifies attempts as retryable or final.
public protocol RetryClassifier: Sendable {
    /// True if a retry may succeed, and sending the request twice is safe. Called on any thread.
    func isRetryable(_ attempt: AttemptResult) -> Bool
}

/// Computes the wait between two attempts. Pure: equal arguments give equal results.
public protocol Backoff: Sendable {
    /// The longest `Retry-After` that is honored, or nil to ignore `Retry-After`.
    ///
    /// A longer one ends the call with ``AdmissionError`` (`retryAfterTooLong`).
    var maximumRetryAfter: Duration? { get }

    /// Returns the wait after an attempt; a negative one counts as zero.
    /// - Parameter random: a random number from 0 up to but not including 1.
    func duration(after attempt: AttemptResult, random: Double) -> Duration
}

extension Backoff {
    /// Nil: ignores `Retry-After`.
    public var maximumRetryAfter: Duration? { nil }
}

/// Limits the number of retries.
public protocol RetryLimiter: Sendable {
    /// Returns true to allow a retry, which then counts as made. Asked last. Called on any thread.
    func allowsRetry(after attempt: AttemptResult) -> Bool

    /// Records a call that ended with a response that is not retryable. Called on any thread.
    func recordSuccess()
}

extension RetryLimiter {
    /// Does nothing.
    public func recordSuccess() {}
}

/// A retry strategy made of a classifier, a backoff and a limiter.
///
/// ```swift
/// let patient = Retry(
///     classifier: .standard, backoff: .exponential(base: .milliseconds(200), cap: .seconds(20)),
///     limiter: .attempts(5))
/// let transport = Retrying(base: URLSessionTransport.shared, strategy: patient)
/// ```
public struct Retry<Classifier: RetryClassifier, BackoffPolicy: Backoff, Limiter: RetryLimiter>: RetryStrategy {
    /// Decides whether a retry is useful and safe.
    public var classifier: Classifier
    /// Computes the wait before a retry.
    public var backoff: BackoffPolicy
    /// Limits the number of retries.
    public var limiter: Limiter

    /// A strategy of three parts.
    public init(classifier: Classifier, backoff: BackoffPolicy, limiter: Limiter) {
        self.classifier = classifier
        self.backoff = backoff
        self.limiter = limiter
    }
}

/// The type of ``RetryStrategy/standard``.
public typealias StandardRetry = Retry<StandardRetryClassifier, RetryAfterBackoff<ExponentialBackoff>, AttemptLimit>

extension RetryStrategy where Self == StandardRetry {
    /// At most three attempts of requests that are safe to retry.
    ///
    /// The waits are about 0.1 and 0.2 seconds, or longer if the server asks for it (`Retry-After`), up to a minute.
    public static var standard: StandardRetry {
        Retry(
            classifier: .standard,
            backoff: .retryAfter(
                cap: .seconds(60), minimum: .exponential(base: .milliseconds(200), cap: .seconds(20))),
            limiter: .attempts(3))
    }

    /// ``standard`` with another number of attempts, the first included.
    public static func standard(attempts: Int) -> StandardRetry {
        var retry = standard
        retry.limiter = .attempts(attempts)
        return retry
    }
}

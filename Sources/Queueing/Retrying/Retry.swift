/// A strategy of three parts.
///
/// ```swift
/// let patient = Retry(
///     triage: .standard, delay: .exponential(base: .milliseconds(200), cap: .seconds(20)), permission: .attempts(5))
/// let transport = Retrying(base: URLSessionTransport.shared, strategy: patient)
/// ```
public struct Retry<Triage: RetryTriage, Delay: RetryDelay, Permission: RetryPermission>: RetryStrategy {
    /// Whether another attempt makes sense and does no harm.
    public var triage: Triage
    /// How long to wait before it.
    public var delay: Delay
    /// Whether there may be one more.
    public var permission: Permission

    /// A strategy of these parts.
    public init(triage: Triage, delay: Delay, permission: Permission) {
        self.triage = triage
        self.delay = delay
        self.permission = permission
    }
}

/// The parts of ``RetryStrategy/standard``.
public typealias StandardRetry = Retry<StandardTriage, RetryAfterDelay<ExponentialDelay>, AttemptLimit>

extension RetryStrategy where Self == StandardRetry {
    /// Three attempts at most, of what may be repeated without harm; waits about 0.1 and 0.2 seconds, or longer where the
    /// server asks for it, up to a minute.
    public static var standard: StandardRetry {
        Retry(
            triage: .standard,
            delay: .retryAfter(
                cap: .seconds(60), else: .exponential(base: .milliseconds(200), cap: .seconds(20))),
            permission: .attempts(3))
    }
}

/// When a request is sent again, and when not: three roles that know nothing of each other.
///
/// *Use* ``Retry`` to put one together. *Implement* it where a vendor's rule has a name of its own:
///
/// ```swift
/// struct VendorRetry: RetryStrategy {
///     let triage = VendorTriage { $0.error != nil || $0.status?.kind == .serverError }
///     let delay = ConstantDelay(.zero)
///     let permission = AttemptLimit(2)
/// }
/// ```
///
/// Whatever a strategy says, some attempts are the last: one that brought a 2xx, one that was cancelled, one whose error
/// is not a `TransportError`, one that leaves no time before the total deadline, and any with a body that can be sent
/// only once. So is one whose server asks for a longer wait than the strategy allows (``RetryDelay/longestRetryAfter``).
public protocol RetryStrategy: Sendable {
    /// The type of the first role.
    associatedtype Triage: RetryTriage
    /// The type of the second role.
    associatedtype Delay: RetryDelay
    /// The type of the third role.
    associatedtype Permission: RetryPermission

    /// Whether another attempt makes sense and does no harm.
    var triage: Triage { get }
    /// How long to wait before it.
    var delay: Delay { get }
    /// Whether there may be one more.
    var permission: Permission { get }
}

/// Judges how an attempt ended.
public protocol RetryTriage: Sendable {
    /// True when another attempt may end better, and sending the request twice does no harm. Called on any thread.
    func isWorthRepeating(_ attempt: EndedAttempt) -> Bool
}

/// Says how long to wait between two attempts. Pure: equal arguments give equal results.
public protocol RetryDelay: Sendable {
    /// The longest wait that a server may ask for (`Retry-After`). A retry that the server wants later than that is not
    /// made: the call ends with ``RetryError``. Nil for a delay that ignores `Retry-After`.
    var longestRetryAfter: Duration? { get }

    /// The wait after an attempt; less than zero counts as zero.
    /// - Parameter random: a random number from 0 up to but not including 1.
    func delay(after attempt: EndedAttempt, random: Double) -> Duration
}

extension RetryDelay {
    /// Nil: the delay ignores `Retry-After`.
    public var longestRetryAfter: Duration? { nil }
}

/// Limits how often requests are repeated.
public protocol RetryPermission: Sendable {
    /// True when there may be another attempt, which then counts as made. Asked last. Called on any thread.
    func allowsRepeating(_ attempt: EndedAttempt) -> Bool

    /// Hears of each call that ended with an answer that needed no repeating. Called on any thread.
    func callSucceeded()
}

extension RetryPermission {
    /// Does nothing.
    public func callSucceeded() {}
}

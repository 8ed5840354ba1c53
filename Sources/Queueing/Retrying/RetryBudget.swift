import Synchronization

/// Retry budget: limits retries to a small fraction of calls, so that they do not overload a failing server.
///
/// A token bucket, initially full: each retry takes one token, each successful call returns a fraction of one. Share a
/// budget among all calls to a server.
///
/// ```swift
/// let budget = RetryBudget(capacity: 10, refill: 0.1)
/// let strategy = Retry(classifier: .standard, backoff: .immediate, limiter: .all(.attempts(3), budget))
/// ```
public final class RetryBudget: RetryLimiter {
    private let bucket: Mutex<TokenBucket>

    /// A full budget.
    /// - Parameters:
    ///   - capacity: the most retries without a success in between; 0 or more.
    ///   - refill: the tokens that one success returns; 0 or more.
    public init(capacity: Double = 10, refill: Double = 0.1) {
        bucket = Mutex(TokenBucket(capacity: capacity, refill: refill))
    }

    /// The retries that are allowed now.
    public var tokens: Double { bucket.withLock(\.tokens) }

    /// Takes a token; false without one.
    public func allowsRetry(after attempt: AttemptResult) -> Bool { bucket.withLock { $0.take() } }

    /// Returns a fraction of a token.
    public func recordSuccess() { bucket.withLock { $0.add() } }
}

/// Token bucket that is refilled by successes instead of time.
struct TokenBucket {
    private let capacity: Double
    private let refill: Double
    private(set) var tokens: Double

    init(capacity: Double, refill: Double) {
        // In this order, `max` turns NaN into zero.
        self.capacity = max(0, capacity)
        self.refill = max(0, refill)
        tokens = self.capacity
    }

    /// - Returns: false without a token.
    mutating func take() -> Bool {
        // Ten times 0.1 is slightly less than 1.
        guard tokens > 1 - 1e-9 else { return false }
        tokens = max(0, tokens - 1)
        return true
    }

    mutating func add() { tokens = min(capacity, tokens + refill) }
}

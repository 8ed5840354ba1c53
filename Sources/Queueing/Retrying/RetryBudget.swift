import Synchronization

/// Keeps repeats to a small part of all calls: when a server is down, most of them fail at once instead of sending
/// three times the load to what is already in trouble.
///
/// A bucket of tokens, full at first. Each repeat takes one, each call that succeeds gives a part of one back, and where
/// there is none nothing is repeated. One budget is meant to be shared by all calls to a server.
///
/// ```swift
/// let budget = RetryBudget(capacity: 10, refill: 0.1)
/// let strategy = Retry(triage: .standard, delay: .immediate, permission: .both(.attempts(3), budget))
/// ```
public final class RetryBudget: RetryPermission {
    private let bucket: Mutex<TokenBucket>

    /// A full budget.
    /// - Parameters:
    ///   - capacity: the most repeats that are made without a success in between, 0 or more.
    ///   - refill: how much of a repeat one success pays for, 0 or more.
    public init(capacity: Double = 10, refill: Double = 0.1) {
        bucket = Mutex(TokenBucket(capacity: capacity, refill: refill))
    }

    /// The repeats that it would allow now.
    public var tokens: Double { bucket.withLock(\.tokens) }

    /// Takes a token; false when there is none.
    public func allowsRepeating(_ attempt: EndedAttempt) -> Bool { bucket.withLock { $0.take() } }

    /// Gives a part of a token back.
    public func callSucceeded() { bucket.withLock { $0.giveBack() } }
}

/// Tokens to be taken and given back, never more than fit.
struct TokenBucket {
    private let capacity: Double
    private let refill: Double
    private(set) var tokens: Double

    init(capacity: Double, refill: Double) {
        // The order lets what is not a number be zero.
        self.capacity = max(0, capacity)
        self.refill = max(0, refill)
        tokens = self.capacity
    }

    /// Takes a token, if there is one.
    mutating func take() -> Bool {
        // Ten times a tenth is a little less than one.
        guard tokens > 1 - 1e-9 else { return false }
        tokens = max(0, tokens - 1)
        return true
    }

    mutating func giveBack() { tokens = min(capacity, tokens + refill) }
}

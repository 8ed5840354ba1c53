import Foundation

/// Token bucket that is refilled by time, as a state machine. Times are seconds since a moment of the caller's choice.
struct TimedTokenBucket: Hashable {
    /// The fraction of a token by which sums of rounded times may fall short.
    private static let tolerance = 1e-6

    /// Tokens per second.
    private(set) var rate: Double
    /// The most tokens.
    private(set) var capacity: Double
    private(set) var tokens: Double
    private var refilled: Double

    init(rate: Double, capacity: Double, tokens: Double, now: Double) {
        (self.rate, self.capacity, self.tokens, refilled) = (rate, capacity, tokens, now)
    }

    /// A full bucket.
    init(rate: Double, capacity: Double, now: Double) {
        self.init(rate: rate, capacity: capacity, tokens: capacity, now: now)
    }

    mutating func refill(now: Double) {
        // The first time may be that of another thread, which read its clock later.
        guard now > refilled else { return }
        tokens = min(capacity, tokens + (now - refilled) * rate)
        refilled = now
    }

    /// The time until the bucket has had that many tokens; zero if it has them now.
    mutating func wait(for count: Double, now: Double) -> Double {
        refill(now: now)
        let missing = count - tokens
        return missing <= Self.tolerance ? 0 : rate > 0 ? missing / rate : .infinity
    }

    /// Takes tokens; the number may fall below zero.
    mutating func take(_ count: Double) { tokens -= count }

    /// Gives back a token that was taken.
    mutating func giveBack() { tokens = min(capacity, tokens + 1) }

    /// Removes all tokens.
    mutating func drain() { tokens = min(tokens, 0) }

    /// Changes the rate from now on.
    mutating func set(rate: Double, capacity: Double, now: Double) {
        refill(now: now)
        (self.rate, self.capacity) = (rate, capacity)
        tokens = min(tokens, capacity)
    }

    func isFull(now: Double) -> Bool { tokens + max(0, now - refilled) * rate >= capacity }
}

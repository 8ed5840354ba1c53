import Foundation
public import HTTPMessages

/// Exponential backoff and limit of event stream reconnection.
///
/// The backoff starts at the reconnection time requested by the server, or at ``initialBackoff``. It is multiplied by
/// ``multiplier`` after each further failure in a row and clamped to ``limits``. Then a random part of up to ``jitter``
/// of it is added, so that the clients of a restarted server do not all reconnect at once.
public struct ReconnectionPolicy: Hashable, Sendable {
    /// The first backoff if the server requests none.
    public var initialBackoff: Duration
    /// Growth per further failure; values below 1 count as 1.
    public var multiplier: Double
    /// Minimum and maximum backoff, before jitter; they also bound the time requested by the server.
    public var limits: ClosedRange<Duration>
    /// Maximum random part, as a fraction of the backoff from 0 to 1.
    public var jitter: Double
    /// Maximum number of failed attempts in a row; nil means unlimited.
    public var maximumFailures: Int?
    /// Statuses that count as a failed attempt; default none. All others but 200 are final (WHATWG HTML, section
    /// 9.2.3), which is too strict for servers that send 429 or 503.
    public var retryableStatuses: Set<HTTPStatus>

    /// Creates a policy; the default follows the standard, with 0.1 to 300 seconds between attempts.
    public init(
        initialBackoff: Duration = .seconds(3), multiplier: Double = 2,
        limits: ClosedRange<Duration> = .milliseconds(100)...(.seconds(300)), jitter: Double = 0.25,
        maximumFailures: Int? = nil, retryableStatuses: Set<HTTPStatus> = []
    ) {
        self.initialBackoff = initialBackoff
        self.multiplier = multiplier
        self.limits = limits
        self.jitter = jitter
        self.maximumFailures = maximumFailures
        self.retryableStatuses = retryableStatuses
    }

    /// Returns the wait before the next attempt.
    /// - Parameters:
    ///   - failures: number of failed attempts in a row.
    ///   - requested: reconnection time requested by the server, or nil.
    ///   - generator: source of the jitter.
    public func backoff(
        afterFailures failures: Int, requested: Duration?, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let base = min(max(requested ?? initialBackoff, limits.lowerBound), limits.upperBound)
        let growth = pow(multiplier > 1 ? multiplier : 1, Double(max(failures, 1) - 1))
        let grown = base.inSeconds * growth
        // The comparison is false for NaN as well, so infinity and NaN become the upper limit.
        let backoff = grown < limits.upperBound.inSeconds ? grown : limits.upperBound.inSeconds
        let share = jitter > 0 ? Double.random(in: 0...min(jitter, 1), using: &generator) : 0
        return .seconds(max(0, min(backoff * (1 + share), Self.maximumSeconds)))
    }

    /// About 30 years, which neither `Duration` nor a clock overflows.
    private static let maximumSeconds = 1e9
}

extension Duration {
    fileprivate var inSeconds: Double { self / .seconds(1) }
}

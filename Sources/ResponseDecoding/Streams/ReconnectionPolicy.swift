import Foundation
public import HTTPMessages

/// How long to wait before an event stream is asked for again, and how often.
///
/// The delay is the one that the server asked for, or else ``initialDelay``. It grows by ``factor`` with every attempt in
/// a row that brought no stream, stays within ``limits``, and has a random part of up to ``jitter`` of it added, so that
/// the clients of a server that was away do not all come back at once.
public struct ReconnectionPolicy: Hashable, Sendable {
    /// The delay while the server has asked for none.
    public var initialDelay: Duration
    /// By how much each further failure multiplies the delay; less than 1 counts as 1.
    public var factor: Double
    /// The shortest and the longest delay, whatever the server asks for.
    public var limits: ClosedRange<Duration>
    /// The largest random part, as a share of the delay from 0 to 1.
    public var jitter: Double
    /// How many attempts in a row may bring no stream before it is given up; nil for any number.
    public var maximumFailures: Int?
    /// The statuses that count as a failed attempt. Any other one than 200 ends the stream for good (WHATWG HTML, section
    /// 9.2.3), which for some servers is too strict with 429 or 503.
    public var retriedStatuses: Set<HTTPStatus>

    /// A policy; by default as the standard says, with at least 0.1 and at most 300 seconds between attempts.
    public init(
        initialDelay: Duration = .seconds(3), factor: Double = 2,
        limits: ClosedRange<Duration> = .milliseconds(100)...(.seconds(300)), jitter: Double = 0.25,
        maximumFailures: Int? = nil, retriedStatuses: Set<HTTPStatus> = []
    ) {
        self.initialDelay = initialDelay
        self.factor = factor
        self.limits = limits
        self.jitter = jitter
        self.maximumFailures = maximumFailures
        self.retriedStatuses = retriedStatuses
    }

    /// How long to wait.
    /// - Parameters:
    ///   - failures: how many attempts in a row brought no stream.
    ///   - requested: what the server asked for, if anything.
    ///   - generator: decides the random part.
    public func delay(
        afterFailures failures: Int, requested: Duration?, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let base = min(max(requested ?? initialDelay, limits.lowerBound), limits.upperBound)
        let growth = pow(factor > 1 ? factor : 1, Double(max(failures, 1) - 1))
        let grown = base.inSeconds * growth
        // Written so that infinity and what is no number end at the limit too.
        let delay = grown < limits.upperBound.inSeconds ? grown : limits.upperBound.inSeconds
        let share = jitter > 0 ? Double.random(in: 0...min(jitter, 1), using: &generator) : 0
        return .seconds(max(0, min(delay * (1 + share), Self.forever)))
    }

    /// Thirty years in seconds: far more than anyone waits, and far less than a `Duration` or a clock can hold.
    private static let forever = 1e9
}

extension Duration {
    fileprivate var inSeconds: Double { self / .seconds(1) }
}

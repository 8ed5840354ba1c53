public import Connectivity
public import Transport

/// The layers of this module as modifiers, in reading order: each one is wrapped around what stands before it.
///
/// ```swift
/// let transport = URLSessionTransport.shared.queued(in: queue).retrying(.standard).redirecting()
/// ```
///
/// `Documentation/Layers.md` says which layer goes where, and why.
extension Transport {
    /// Retries failed requests.
    /// - Parameters:
    ///   - strategy: which failures are retried, after which wait, and how often; default up to three attempts.
    ///   - idempotencyKey: makes an `Idempotency-Key`, such as `{ UUID().uuidString }`, for each non-idempotent request
    ///     without one; all attempts share it. Only for servers that support the header. Default none.
    ///   - clock: counts the waits and the deadline for the whole request.
    public func retrying<Strategy: RetryStrategy>(
        _ strategy: Strategy = StandardRetry.standard, idempotencyKey: (@Sendable () -> String)? = nil,
        clock: some Clock<Duration> = ContinuousClock()
    ) -> Retrying<Self, Strategy> {
        Retrying(base: self, strategy: strategy, idempotencyKey: idempotencyKey, clock: clock)
    }

    /// Sends requests through a queue, which several transports may share.
    /// - Parameter cancellationScope: the running requests that the queue can cancel; by default those with a tag.
    public func queued(
        in queue: RequestQueue = RequestQueue(), cancellationScope: CancellationScope = .tagged
    ) -> Queued<Self> {
        Queued(base: self, queue: queue, cancellationScope: cancellationScope)
    }

    /// Sends an idempotent request again when its response is late, and takes the first response.
    /// - Parameters:
    ///   - delay: the wait before each further attempt.
    ///   - maximumAttempts: the most attempts of one request, the first included.
    public func hedging(
        after delay: Duration, maximumAttempts: Int = 2, clock: some Clock<Duration> = ContinuousClock()
    ) -> Hedging<Self> {
        Hedging(base: self, after: delay, maximumAttempts: maximumAttempts, clock: clock)
    }

    /// Fails fast while an origin is failing.
    public func circuitBreaking(
        _ policy: CircuitPolicy = CircuitPolicy(), clock: some Clock<Duration> = ContinuousClock()
    ) -> CircuitBreaking<Self> {
        CircuitBreaking(base: self, policy: policy, clock: clock)
    }

    /// Sends calls to one of several hosts, and moves on to another one when a host fails.
    public func balancing(
        over hosts: HostList, clock: some Clock<Duration> = ContinuousClock()
    ) -> Balancing<Self> {
        Balancing(base: self, hosts: hosts, clock: clock)
    }

    /// Limits how often requests are sent, and keeps to the limits that the server tells.
    /// - Parameters:
    ///   - limit: how often requests are sent for each key.
    ///   - key: which requests share a limit.
    public func limiting(
        to limit: RateLimit, by key: RateLimitKey = .origin, clock: some Clock<Duration> = ContinuousClock()
    ) -> RateLimiting<Self> {
        limiting(by: RateLimiter(limit, by: key, clock: clock))
    }

    /// Limits how often requests are sent, by a limiter that several transports may share.
    public func limiting(by limiter: RateLimiter) -> RateLimiting<Self> { RateLimiting(base: self, limiter: limiter) }

    /// Sends equal requests that run at the same time only once.
    public func coalescing() -> Coalescing<Self> { Coalescing(base: self) }

    /// Holds calls that failed for lack of a network, and sends them again when there is one.
    /// - Parameters:
    ///   - network: tells whether there is a network.
    ///   - clock: measures the total timeout of a request.
    public func waitingForConnectivity(
        _ network: some NetworkMonitor, clock: some Clock<Duration> = ContinuousClock()
    ) -> WaitingForConnectivity<Self> {
        WaitingForConnectivity(base: self, network: network, clock: clock)
    }
}

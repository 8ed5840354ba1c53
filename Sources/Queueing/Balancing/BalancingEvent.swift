public import HTTPMessages
public import Transport

/// A host failed, and its call moves on to another one.
public struct BalancingEvent: DetailEvent {
    /// The origin that failed, such as `https://example.com:443`.
    public let failed: String
    /// The origin that gets the call next.
    public let next: String
    /// The rest of the failed host.
    public let rest: Duration

    /// The origins and the rest.
    public var description: String { "host \(failed) rests for \(rest.secondsText), moving on to \(next)" }
}

extension AttemptReason {
    /// The host of the attempt before failed.
    public static let failover = AttemptReason("failover")
}

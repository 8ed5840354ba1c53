import HTTPMessages

/// The progress of many calls together; see ``ProgressGroup``.
public struct GroupProgress: Hashable, Sendable {
    /// The done part of all work, from 0 to 1, by weight.
    public var fraction: Double
    /// The bytes of the bodies that were transferred, in both directions.
    public var bytes: Int64
    /// The bytes of all bodies; nil while that of a call is unknown.
    public var totalBytes: Int64?
    /// The calls that have ended, those of groups within included.
    public var finishedCount: Int
    /// All calls, those of groups within included.
    public var count: Int
    /// The bytes per second of the last five seconds; nil at the start.
    public var bytesPerSecond: Double?
    /// The time until all bytes are transferred, at that rate, at most a century; nil while either is unknown.
    public var timeLeft: Duration? {
        guard let totalBytes, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return .seconds(min(Double(max(0, totalBytes - bytes)) / bytesPerSecond, .century))
    }
}

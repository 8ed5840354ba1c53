/// Order of queued requests: a higher priority starts first. It never preempts a running request.
public struct RequestPriority: Hashable, Comparable, Sendable {
    /// The level; higher starts first. Any number is valid.
    public let level: Int

    /// A custom level.
    public init(level: Int) { self.level = level }

    /// Level -100, for work without a waiting user.
    public static let background = RequestPriority(level: -100)
    /// Level 0, the default.
    public static let normal = RequestPriority(level: 0)
    /// Level 100.
    public static let high = RequestPriority(level: 100)

    /// Compares levels.
    public static func < (left: RequestPriority, right: RequestPriority) -> Bool { left.level < right.level }
}

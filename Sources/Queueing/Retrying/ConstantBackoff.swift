/// The same wait before each retry.
public struct ConstantBackoff: Backoff {
    /// The wait.
    public var duration: Duration

    /// A constant wait.
    public init(_ duration: Duration) { self.duration = duration }

    /// The constant wait.
    public func duration(after attempt: AttemptResult, random: Double) -> Duration { duration }
}

extension Backoff where Self == ConstantBackoff {
    /// The same wait before each retry.
    public static func constant(_ duration: Duration) -> ConstantBackoff { ConstantBackoff(duration) }

    /// No wait.
    public static var immediate: ConstantBackoff { ConstantBackoff(.zero) }
}

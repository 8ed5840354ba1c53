/// Waits equally long each time.
public struct ConstantDelay: RetryDelay {
    /// The wait.
    public var duration: Duration

    /// A delay of so long.
    public init(_ duration: Duration) { self.duration = duration }

    /// The wait.
    public func delay(after attempt: EndedAttempt, random: Double) -> Duration { duration }
}

extension RetryDelay where Self == ConstantDelay {
    /// Waits equally long each time.
    public static func constant(_ duration: Duration) -> ConstantDelay { ConstantDelay(duration) }

    /// Does not wait.
    public static var immediate: ConstantDelay { ConstantDelay(.zero) }
}

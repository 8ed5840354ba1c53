import HTTPMessages

/// Allows so many attempts for each call, unless the request has a limit of its own
/// (``HTTPMessages/RequestOptions/maximumAttempts``).
public struct AttemptLimit: RetryPermission {
    /// The attempts, the first included.
    public var count: Int

    /// A limit.
    public init(_ count: Int) { self.count = count }

    /// True while there were fewer attempts than that.
    public func allowsRepeating(_ attempt: EndedAttempt) -> Bool {
        attempt.number < attempt.request.options.maximumAttempts ?? count
    }
}

extension RetryPermission where Self == AttemptLimit {
    /// Allows so many attempts for each call, the first included, unless the request has a limit of its own.
    public static func attempts(_ count: Int) -> AttemptLimit { AttemptLimit(count) }
}

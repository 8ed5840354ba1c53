/// Allows what two permissions allow.
public struct BothPermissions<First: RetryPermission, Second: RetryPermission>: RetryPermission {
    /// The one that is asked first.
    public var first: First
    /// The one that is asked when the first allows it.
    public var second: Second

    /// A permission of two.
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// True when both allow it.
    public func allowsRepeating(_ attempt: EndedAttempt) -> Bool {
        first.allowsRepeating(attempt) && second.allowsRepeating(attempt)
    }

    /// Tells both.
    public func callSucceeded() {
        first.callSucceeded()
        second.callSucceeded()
    }
}

extension RetryPermission {
    /// Allows what two permissions allow: `.both(.attempts(3), budget)`. A budget stands second, so that it pays only for
    /// what the first allows.
    public static func both<First, Second>(_ first: First, _ second: Second) -> Self
    where Self == BothPermissions<First, Second> {
        BothPermissions(first, second)
    }
}

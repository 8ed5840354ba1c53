/// Repeats by a rule of somebody else's, whatever the method.
///
/// A `POST` that it repeats may be acted on twice. Some vendors' clients did that, and their servers expect it.
public struct VendorTriage: RetryTriage {
    private let rule: @Sendable (EndedAttempt) -> Bool

    /// A triage that asks a closure, which is called on any thread.
    public init(_ rule: @escaping @Sendable (EndedAttempt) -> Bool) { self.rule = rule }

    /// What the rule says.
    public func isWorthRepeating(_ attempt: EndedAttempt) -> Bool { rule(attempt) }
}

extension RetryTriage where Self == VendorTriage {
    /// Repeats by a rule of somebody else's. A `POST` that it repeats may be acted on twice.
    public static func regardlessOfMethod(
        _ rule: @escaping @Sendable (EndedAttempt) -> Bool
    ) -> VendorTriage {
        VendorTriage(rule)
    }
}

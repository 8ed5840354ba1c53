/// The reason for not conforming to a case; may be a string literal.
public struct ConformanceExclusion: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The effect of running the case.
    public enum Effect: Hashable, Sendable {
        /// The case fails. It still runs, to detect when it passes.
        case fails
        /// The case does not end. It is not run.
        case hangs
        /// The case ends the process. It is not run.
        case endsProcess
    }

    /// The reason and, for a bug of another project, the version that fixes it.
    public let reason: String
    /// The effect of running the case.
    public let effect: Effect

    private init(_ reason: String, effect: Effect) {
        self.reason = reason
        self.effect = effect
    }

    /// Creates the reason for a case that fails.
    public init(stringLiteral reason: String) { self.init(reason, effect: .fails) }

    /// Creates the reason for a case that does not end.
    public static func hangs(_ reason: String) -> Self { Self(reason, effect: .hangs) }

    /// Creates the reason for a case that ends the process.
    public static func endsProcess(_ reason: String) -> Self { Self(reason, effect: .endsProcess) }
}

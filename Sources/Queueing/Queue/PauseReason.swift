/// The reason for a pause of a queue.
///
/// Independent parts of a program use different reasons, so that each one ends only its own pause:
///
/// ```swift
/// extension PauseReason { static let offline = PauseReason("offline") }
/// queue.pause(.offline)
/// ```
public struct PauseReason: Hashable, Sendable, CustomStringConvertible {
    /// The name for logs; reasons with the same name are equal.
    public let description: String

    /// A reason with a name.
    public init(_ name: String) { description = name }

    /// A pause by the app; the default reason.
    public static let manual = PauseReason("manual")
}

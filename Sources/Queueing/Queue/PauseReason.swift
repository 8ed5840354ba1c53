/// Why a queue starts nothing new.
///
/// Each part of a program that pauses a queue has a reason of its own, so that it ends its own pause and nobody else's:
///
/// ```swift
/// extension PauseReason { static let offline = PauseReason("offline") }
/// queue.pause(.offline)
/// ```
public struct PauseReason: Hashable, Sendable, CustomStringConvertible {
    /// The reason's name, for a developer; two reasons of one name are one.
    public let description: String

    /// A reason of any name.
    public init(_ name: String) { description = name }

    /// The program wants it; what counts where no reason is given.
    public static let program = PauseReason("program")
}

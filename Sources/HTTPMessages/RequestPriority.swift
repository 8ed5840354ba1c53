/// How soon a request is sent where requests queue: a higher one goes before a lower one.
///
/// It orders what waits, and never interrupts what runs.
public struct RequestPriority: Hashable, Comparable, Sendable {
    /// The level; higher is sooner. Any number is a level.
    public let level: Int

    /// A level of one's own.
    public init(level: Int) { self.level = level }

    /// For what nobody waits for: level -100.
    public static let background = RequestPriority(level: -100)
    /// For everything else: level 0.
    public static let normal = RequestPriority(level: 0)
    /// Before everything else: level 100.
    public static let immediate = RequestPriority(level: 100)

    /// True when the left one is sent later.
    public static func < (left: RequestPriority, right: RequestPriority) -> Bool { left.level < right.level }
}

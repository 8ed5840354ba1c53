import Foundation

/// The unit of the timeouts that an app passes to requests. The vendor's pages contradict each other.
public enum WLTimeoutUnit: Sendable {
    /// Seconds, as in the vendor's iOS header.
    case seconds
    /// Milliseconds, as in the vendor's tutorial.
    case milliseconds

    /// The number of units per second.
    var perSecond: TimeInterval { self == .seconds ? 1 : 1000 }
}

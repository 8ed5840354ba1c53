package import Foundation
package import HTTPMessages
import Synchronization

/// The clocks of origins, by the refusals of each: a server sets the time of its own signatures only.
package final class OriginClocks: Sendable {
    /// The difference of clocks beyond which it may be the reason of a refusal.
    private static let tolerance: TimeInterval = 30
    /// The greatest difference that is followed: a time zone taken for UTC, or a wrong day.
    private static let maximumSkew: TimeInterval = 90_000
    /// The number of origins from which all are forgotten; the next refusal of each sets its clock again.
    private static let capacity = 1000

    private let clock: ServerClock
    /// The seconds by which the servers' clocks are ahead of the local one.
    private let skews = Mutex<[Origin: TimeInterval]>([:])

    package init(_ clock: ServerClock) { self.clock = clock }

    /// The seconds by which an origin's clock is ahead of the local one, as far as known.
    package func skew(of origin: Origin) -> TimeInterval { skews.withLock { $0[origin] } ?? clock.skew }

    /// The time of a signature.
    package func now(skew: TimeInterval) -> Date { clock.localNow + skew }

    /// The difference that may be the reason of a refusal: the seconds by which the server's clock is ahead of the time
    /// that the signature had.
    /// - Parameter skew: that of the signature.
    /// - Returns: nil for a response without `Date`, from a cache, or at the same time.
    package func difference(of head: HTTPResponseHead, skew: TimeInterval) -> TimeInterval? {
        guard !head.fields.contains(.age), let time = head.fields[.date].flatMap({ HTTPDate(parsing: $0)?.date }) else {
            return nil
        }
        let difference = time.timeIntervalSince(now(skew: skew))
        return abs(difference) > Self.tolerance ? difference : nil
    }

    /// Sets the clock of an origin by a difference, if it can be trusted.
    /// - Parameters:
    ///   - skew: that of the signature.
    ///   - difference: the one that the response to it shows.
    /// - Returns: false if it cannot: the response came unprotected from another machine, or the difference is too
    ///   great.
    package func follow(_ origin: Origin, from skew: TimeInterval, by difference: TimeInterval) -> Bool {
        let followed = skew + difference
        guard origin.protectsSecrets, abs(followed - clock.skew) <= Self.maximumSkew else { return false }
        skews.withLock { skews in
            if skews.count >= Self.capacity { skews.removeAll() }
            skews[origin] = followed
        }
        return true
    }
}

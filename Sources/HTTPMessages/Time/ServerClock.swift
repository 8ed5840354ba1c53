public import Foundation
import Synchronization

/// A wall clock that follows a server's: signed times are valid there in spite of a wrong local clock.
public final class ServerClock: Sendable {
    private let date: @Sendable () -> Date
    private let offset = Mutex(TimeInterval(0))

    /// Creates a clock that shows the local time until ``synchronize(with:)``.
    public init(date: @escaping @Sendable () -> Date = { Date() }) { self.date = date }

    /// The server's time, as far as it is known.
    public var now: Date { date() + skew }

    /// The local time.
    public var localNow: Date { date() }

    /// The seconds by which the server's clock is ahead of the local one.
    public var skew: TimeInterval { offset.withLock { $0 } }

    /// A clock that shows the same time, and is synchronized by itself.
    package func copy() -> ServerClock {
        let copy = ServerClock(date: date)
        copy.offset.withLock { $0 = skew }
        return copy
    }

    /// Sets the time of a response's `Date`.
    package func synchronize(with head: HTTPResponseHead) {
        guard let time = head.fields[.date].flatMap({ HTTPDate(parsing: $0)?.date }) else { return }
        synchronize(with: time)
    }

    /// Whether an earlier ``skew`` differs from that of now by more than a `Date` can be late.
    ///
    /// What was signed with it may have been refused for that. Another response may have set the clock meanwhile.
    package func hasChanged(since skew: TimeInterval) -> Bool { abs(self.skew - skew) > 2 }

    /// Sets the server's time of this moment. A difference of more than 100 years is ignored, as it is an error.
    public func synchronize(with serverTime: Date) {
        let skew = serverTime.timeIntervalSince(date())
        guard abs(skew) <= .century else { return }
        offset.withLock { $0 = skew }
    }
}

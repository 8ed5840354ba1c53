/// Token bucket of bytes, as a state machine: each piece reserves its time in order of arrival. Times are seconds.
///
/// The time at which the bytes of all reservations have passed is all that is kept. A call has one piece at a time, so
/// calls take turns, however large their bodies are. What is saved up while nothing passes is a tenth of a second.
struct ByteBucket: Hashable, Sendable {
    /// The longest time that is saved up.
    private static let burst = 0.1

    /// Bytes per second, 1 or more; nil without a limit.
    private(set) var rate: Int?
    private var freeAt = -Double.infinity

    init(rate: Int? = nil) { self.rate = rate.map { max(1, $0) } }

    /// The size of a piece, of which 20 pass in a second, at most 64 KiB; nil without a limit.
    var pieceSize: Int? { rate.map { min(64 << 10, max(1, $0 / 20)) } }

    /// The time at which further bytes would have passed; not later than `now` if they need not wait.
    func time(of count: Int, now: Double) -> Double {
        rate.map { max(freeAt, now - Self.burst) + Double(count) / Double($0) } ?? now
    }

    /// Reserves the time of some bytes, to the end that ``time(of:now:)`` tells.
    mutating func reserve(_ count: Int, now: Double) {
        if rate != nil { freeAt = time(of: count, now: now) }
    }

    /// Gives back the time of bytes that do not pass.
    mutating func refund(_ count: Int) {
        if let rate { freeAt -= Double(count) / Double(rate) }
    }

    /// Changes the rate: the bytes that are reserved pass at the new one.
    mutating func set(rate: Int?, now: Double) {
        let new = ByteBucket(rate: rate)
        if let old = self.rate, let rate = new.rate {
            if freeAt > now { freeAt = now + (freeAt - now) * Double(old) / Double(rate) }
            self.rate = rate
        } else {
            self = new
        }
    }
}

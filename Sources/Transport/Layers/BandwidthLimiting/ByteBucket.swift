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

    /// Reserves the time of some bytes.
    /// - Returns: the time at which they have passed; not later than `now` if they need not wait.
    mutating func reserve(_ count: Int, now: Double) -> Double {
        guard let rate else { return now }
        freeAt = max(freeAt, now - Self.burst) + Double(count) / Double(rate)
        return freeAt
    }

    /// Changes the rate; reservations keep their time.
    mutating func set(rate: Int?) { self = rate == self.rate ? self : ByteBucket(rate: rate) }
}

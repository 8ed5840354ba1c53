/// The waits of a transfer that continues after interruptions: a state machine without I/O.
///
/// A lost connection after a good piece of the transfer is no sign of an overloaded server: the next attempt follows at
/// once. Otherwise, and after a response that refuses, the waits grow from 0.2 seconds to 20.
///
/// ```
/// any -interrupted, with bytes since the last time->    1 attempt without bytes
/// n attempts -interrupted, without->                    n + 1, or more if a layer below has retried
/// ```
struct ResumptionWait: Hashable, Sendable {
    /// Bytes after which the next attempt follows at once.
    static let goodPiece: Int64 = 1 << 20
    /// The longest `Retry-After` to wait for.
    static let longestRetryAfter = Duration.seconds(600)

    /// The attempts without a byte between them.
    private(set) var failures = 0
    /// The most bytes that the transfer has had: one that always starts over gets further only by more.
    private var most: Int64

    /// - Parameter count: the bytes of an earlier transfer.
    init(count: Int64) { most = count }

    /// Notes an interruption.
    /// - Parameters:
    ///   - count: the bytes that the transfer has now.
    ///   - attempts: the attempts that the interruption took.
    ///   - isRefused: true if the server has responded.
    /// - Returns: the wait before the next attempt.
    mutating func interrupted(count: Int64, attempts: Int = 1, isRefused: Bool = false) -> Duration {
        let gained = count - most
        failures = gained > 0 ? 1 : failures + max(1, attempts)
        most = max(most, count)
        guard gained < Self.goodPiece || isRefused else { return .zero }
        return min(.milliseconds(200) * (1 << min(failures - 1, 10)), .seconds(20))
    }
}

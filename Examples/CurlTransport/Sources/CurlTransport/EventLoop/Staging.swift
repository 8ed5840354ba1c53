/// When the chunks of streamed responses are handed to their readers, and how the event thread waits for more before.
///
/// A reader is woken once for many chunks. A sender on this machine is seldom more than a few microseconds ahead: to
/// sleep, and to be woken for each of its pieces, costs both sides more than to poll for the next one. On a network the
/// next piece comes later, so after polls that find nothing it polls less often.
///
/// ```
/// empty   -bytes staged->                   waiting
/// waiting -no more found, or after limit->  empty: handed over
/// ```
struct Staging {
    typealias Instant = ContinuousClock.Instant

    /// How long chunks may wait for others. Those of a slow transfer must not wait for a fast one.
    static let limit = Duration.microseconds(500)
    /// How long the event thread polls for more bytes.
    static let poll = Duration.microseconds(50)
    /// The bytes at once that make a transfer fast.
    static let fast = 64 << 10

    private var byteCount = 0
    private var start: Instant?
    /// Suggested by many bytes at once.
    private var fastPolling = AdaptivePolling()

    /// Counts bytes that were staged.
    mutating func add(_ count: Int, at now: @autoclosure () -> Instant) {
        start = start ?? now()
        byteCount += count
        if byteCount >= Self.fast { fastPolling.suggest() }
    }

    /// True when chunks have waited for ``limit``.
    func isDue(at now: @autoclosure () -> Instant) -> Bool { start.map { now() - $0 >= Self.limit } ?? false }

    /// Records that all chunks were handed over.
    mutating func handedOver() { (byteCount, start) = (0, nil) }

    /// Returns how long to poll for more bytes; zero to look once, nil to sleep at once.
    mutating func polling() -> Duration? {
        if fastPolling.begin() { return Self.poll }
        return byteCount > 0 ? .zero : nil
    }

    /// Records the end of a poll.
    mutating func polled(for duration: Duration, found: Bool) {
        if duration > .zero { fastPolling.end(found: found) }
    }
}

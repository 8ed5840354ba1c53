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
    /// The most times in a row that a poll is left out.
    static let maximumPause = 63

    private var byteCount = 0
    private var start: Instant?
    /// True after many bytes at once, until a poll finds nothing.
    private var isFast = false
    /// The number of polls to leave out after one that found nothing, and those left out since.
    private var (pause, paused) = (0, 0)

    /// Counts bytes that were staged.
    mutating func add(_ count: Int, at now: @autoclosure () -> Instant) {
        start = start ?? now()
        byteCount += count
        if byteCount >= Self.fast { isFast = true }
    }

    /// True when chunks have waited for ``limit``.
    func isDue(at now: @autoclosure () -> Instant) -> Bool { start.map { now() - $0 >= Self.limit } ?? false }

    /// Records that all chunks were handed over.
    mutating func handedOver() { (byteCount, start) = (0, nil) }

    /// Returns how long to poll for more bytes; zero to look once, nil to sleep at once.
    mutating func polling() -> Duration? {
        if isFast {
            if paused >= pause { return Self.poll }
            isFast = false
            paused += 1
        }
        return byteCount > 0 ? .zero : nil
    }

    /// Records the end of a poll.
    mutating func polled(for duration: Duration, found: Bool) {
        guard duration > .zero else { return }
        paused = 0
        pause = found ? 0 : min(2 * pause + 1, Self.maximumPause)
        isFast = found
    }
}

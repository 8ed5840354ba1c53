import Foundation

/// Whether the event thread polls for a moment instead of sleeping: to be woken costs more than a short wait.
///
/// After polls that find nothing it polls less often.
///
/// ```
/// idle    -suggest->        due
/// due     -begin->          polling  (or idle, to leave the poll out)
/// polling -end, found->     due
/// polling -end, nothing->   idle     (twice as many polls are left out as before)
/// ```
struct AdaptivePolling {
    /// The most times in a row that a poll is left out.
    static let maximumPause = 63
    /// False on a single processor: what the thread waits for could not happen meanwhile.
    static let isUseful = ProcessInfo.processInfo.activeProcessorCount > 1

    private var isDue = false
    /// The number of polls to leave out after one that found nothing, and those left out since.
    private var (pause, paused) = (0, 0)

    /// Notes a sign that a poll will find something.
    mutating func suggest() { isDue = true }

    /// Returns true to poll; then call ``end(found:)``.
    mutating func begin() -> Bool {
        guard isDue else { return false }
        if paused >= pause { return true }
        isDue = false
        paused += 1
        return false
    }

    /// Notes the end of a poll.
    mutating func end(found: Bool) {
        paused = 0
        pause = found ? 0 : min(2 * pause + 1, Self.maximumPause)
        isDue = found
    }
}

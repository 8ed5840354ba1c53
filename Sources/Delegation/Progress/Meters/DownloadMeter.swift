/// A state machine for the progress of response bodies, with the semantics of ASIHTTPRequest.
///
/// Transitions: new → expected → started → receiving → finished; new → started; started → finished; started → started
/// and receiving → started (a retry or a redirect).
package struct DownloadMeter: Hashable, Sendable {
    /// The length that Apache states for an empty body in gzip, in response to HEAD for generated content.
    private static let emptyGzipLength: Int64 = 20

    private var counter: UnitCounter
    /// The bytes that an earlier call left on the disk.
    private var resumed: Int64 = 0

    /// Creates a meter.
    /// - Parameter isAccurate: true for bytes, false for one unit when the call finishes.
    package init(isAccurate: Bool) { counter = UnitCounter(isAccurate: isAccurate) }

    /// False if progress is one unit, as set or because a length is unknown.
    package var isAccurate: Bool { counter.isAccurate }

    /// Announces the length of the response before the start, from the response to a HEAD request.
    /// - Parameters:
    ///   - length: the content length in bytes; nil if unknown.
    ///   - acceptsGzip: true if the request accepts gzip, where a length of 20 means nothing.
    package mutating func expect(_ length: Int64?, acceptsGzip: Bool = false) -> [ProgressChange] {
        counter.announce(acceptsGzip && length == Self.emptyGzipLength ? nil : length)
    }

    /// Starts an attempt, and takes back the progress of an earlier one.
    /// - Parameter partial: the bytes that are on the disk, if the attempt resumes a download.
    package mutating func start(resuming partial: Int64 = 0) -> [ProgressChange] {
        partial > 0 ? counter.rewind(to: partial) : counter.zero()
    }

    /// Announces the total of the body that follows. Call it for the final response, not for a redirect.
    /// - Parameters:
    ///   - length: the length of the body in bytes; nil if unknown, which makes the progress one unit.
    ///   - partial: the bytes on the disk that precede the body, with status 206.
    package mutating func head(_ length: Int64?, resumed partial: Int64 = 0) -> [ProgressChange] {
        resumed = partial
        return counter.rewind(to: partial) + counter.announce(length.map { sum($0, partial) })
    }

    /// Reports the bytes of the body received so far in this attempt.
    package mutating func received(_ completed: Int64) -> [ProgressChange] { counter.report(sum(resumed, completed)) }

    /// Takes back all progress.
    package mutating func removeProgress() -> [ProgressChange] { counter.zero() }

    /// Completes the progress of a call that succeeded, also without a head, as from a cache.
    package mutating func finish() -> [ProgressChange] { counter.finish() }

    /// Adds counts; a server may state any length.
    private func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}

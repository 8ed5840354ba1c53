/// A state machine for the progress of request bodies, with the semantics of ASIHTTPRequest.
///
/// Transitions: new → expected → started → finished; new → started; started → started (a retry or a redirect).
package struct UploadMeter: Hashable, Sendable {
    /// The most bytes of the first event that count as buffered: the size of the largest send buffer.
    static let bufferLimit: Int64 = 131_072

    private var counter: UnitCounter
    private var length: Int64?
    /// The bytes that were only copied to the send buffer, not sent; nil before the first event.
    private var buffered: Int64?

    /// Creates a meter.
    /// - Parameter isAccurate: true for bytes, false for one unit when the call finishes.
    package init(isAccurate: Bool) { counter = UnitCounter(isAccurate: isAccurate) }

    /// False if progress is one unit, as set or because the length is unknown.
    package var isAccurate: Bool { counter.isAccurate }

    /// Announces the length of the body before the start, as when a request is added to a queue; nil if unknown.
    package mutating func expect(_ length: Int64?) -> [ProgressChange] {
        self.length = length
        return counter.announce(length)
    }

    /// Starts an attempt, and takes back the progress of an earlier one.
    /// - Parameter length: the length of its body, in bytes; 0 without one, nil if unknown.
    package mutating func start(_ length: Int64?) -> [ProgressChange] {
        let changes = counter.zero()
        // A redirect may drop the body. Otherwise the total stays without the buffered bytes.
        if buffered != nil, length == self.length { return changes }
        buffered = nil
        return changes + expect(length)
    }

    /// Reports the bytes of the body sent so far in this attempt.
    ///
    /// The first report of a part of the body measures the send buffer, whose bytes are subtracted from the total.
    package mutating func sent(_ completed: Int64) -> [ProgressChange] {
        guard let length, isAccurate, completed > 0 else { return [] }
        var changes: [ProgressChange] = []
        if buffered == nil {
            let size = completed < length ? min(completed, Self.bufferLimit) : 0
            buffered = size
            changes = counter.announce(length - size)
        }
        return changes + counter.report(completed - (buffered ?? 0))
    }

    /// Takes back all progress, before the body is sent again.
    package mutating func removeProgress() -> [ProgressChange] { counter.zero() }

    /// Completes the progress of a call that succeeded.
    package mutating func finish() -> [ProgressChange] { counter.finish() }
}

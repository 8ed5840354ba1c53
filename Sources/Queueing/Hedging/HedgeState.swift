/// The attempts of one hedged call, as a state machine. It has no transport and no clock.
///
/// ```
/// racing -> racing     startAttempt, or attemptEnded while others are in flight
/// racing -> decided    attemptEnded with an acceptable outcome, or as the last one
/// ```
struct HedgeState {
    private let limit: Int
    /// The number of attempts started so far.
    private(set) var startedCount = 1
    /// The number of attempts without an end so far.
    private(set) var inFlightCount = 1

    init(limit: Int) { self.limit = limit }

    var canStartMore: Bool { startedCount < limit }

    mutating func startAttempt() {
        startedCount += 1
        inFlightCount += 1
    }

    /// - Returns: true if the call ends with this attempt.
    mutating func attemptEnded(isAcceptable: Bool) -> Bool {
        inFlightCount -= 1
        return isAcceptable || inFlightCount == 0
    }
}

import HTTPMessages
import Transport

/// The end of a call's wait for a credential, and the timeout by which it was set.
struct WaitLimit: Sendable {
    let deadline: Duration
    let timeout: Duration

    init(deadline: Duration, timeout: Duration) {
        self.deadline = deadline
        self.timeout = timeout
    }

    /// The limit of a call by its total timeout; nil without one.
    init?(_ request: HTTPRequest, started: Duration) {
        let timeouts = request.options.timeouts
        guard let rest = timeouts.total else { return nil }
        self.init(deadline: started + rest, timeout: timeouts.wholeTotal ?? rest)
    }

    /// The error of a wait that took too long: of a request, or without one.
    func error(_ request: HTTPRequest?) -> TransportError {
        let limit = request == nil ? "timeout" : "timeouts.total"
        var error = TransportError(
            .timedOut,
            "Timed out: no credential within \(timeout.secondsText); raise `\(limit)`, or check the server that issues it.",
            request: request, phase: .total)
        error.timeout = timeout
        return error
    }
}

package import HTTPMessages

extension HTTPRequest {
    /// Reduces the total timeout by the time that the call has taken so far.
    /// - Parameters:
    ///   - requests: what has taken it, for the message.
    ///   - head: the last response; nil without one.
    /// - Throws: `timedOut` if no time is left.
    package mutating func reduceTotal(
        by elapsed: Duration, of requests: String, after head: HTTPResponseHead?
    ) throws(TransportError) {
        guard let total = options.timeouts.total else { return }
        guard elapsed < total else {
            let whole = options.timeouts.wholeTotal ?? total
            throw .timedOut(
                .total, "Timed out: \(requests) took longer than \(whole.secondsText).", request: self, head: head)
        }
        options.timeouts.reduceTotal(to: total - elapsed)
    }
}

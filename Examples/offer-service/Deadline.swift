import Patchbay

/// The time that a caller leaves, in a field in milliseconds: a duration, since the clocks of two machines differ.
enum Deadline {
    static let field = "X-Time-Left-Ms"
    /// For callers that set none: no request is served without an end.
    static let longest = Duration.seconds(30)

    /// The time that the field leaves, at most the longest.
    static func timeLeft(in fields: HTTPFields) -> Duration {
        guard let text = fields[field], let milliseconds = Int(text), milliseconds > 0 else { return longest }
        return min(.milliseconds(milliseconds), longest)
    }

    /// The field for an attempt, whose total timeout is what is left by then of the timeout of the call.
    static func handOn(_ request: inout HTTPRequest) {
        guard let total = request.options.timeouts.total else { return }
        request.fields[field] = "\(max(1, Int(min(total, longest) / .milliseconds(1))))"
    }
}

extension HTTPRequest {
    /// A request that this service serves, with the deadline and the trace of its caller as options. A caller without a
    /// trace begins one here, for all calls that the request causes.
    func served() -> HTTPRequest {
        var request = self
        request.options.timeouts.total = Deadline.timeLeft(in: fields)
        request.options.traceContext = TraceContext(fields) ?? .begin()
        return request
    }
}

extension APIClient {
    /// This client for calls that a served request causes: in its trace, and within a share of the time that is left.
    func calls(for request: HTTPRequest, within share: Double = 0.9) -> APIClient {
        with {
            $0.options.timeouts.total = request.options.timeouts.total.map { $0 * share }
            $0.options.traceContext = request.options.traceContext
        }
    }
}

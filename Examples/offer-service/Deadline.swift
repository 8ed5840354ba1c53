import Patchbay

/// The time that a caller leaves, in a field in milliseconds: a duration, since the clocks of two machines differ.
///
/// As an option of a request that is served it is an instant: each call gets what the ones before it have left.
enum Deadline: RequestOptionKey {
    static let defaultValue: ContinuousClock.Instant? = nil
    static let field = "X-Time-Left-Ms"
    /// For callers that set none: no request is served without an end.
    static let longest = Duration.seconds(30)

    /// The time that the field leaves, at most the longest; zero or less if the caller is late.
    static func timeLeft(in fields: HTTPFields) -> Duration {
        guard let text = fields[field], let milliseconds = Int(text) else { return longest }
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
    /// - Throws: `TransportError` (`timedOut`) if the caller leaves no time.
    func served(at now: ContinuousClock.Instant = .now) throws -> HTTPRequest {
        var request = self
        request.options[Deadline.self] = now + Deadline.timeLeft(in: fields)
        request.options.timeouts.total = try request.timeLeft(at: now)
        request.options.traceContext = TraceContext(fields) ?? .begin()
        return request
    }

    /// What is left until the deadline, if the request has one.
    fileprivate func timeLeft(at now: ContinuousClock.Instant) throws -> Duration? {
        guard let deadline = options[Deadline.self] else { return nil }
        guard now < deadline else {
            throw TransportError(.timedOut, "Nothing is left of the caller's time.", request: self, phase: .total)
        }
        return deadline - now
    }
}

extension APIClient {
    /// This client for calls that a served request causes: in its trace, and within a share of the time that is left.
    /// - Throws: `TransportError` (`timedOut`) if nothing is left.
    func calls(
        for request: HTTPRequest, within share: Double = 0.9, at now: ContinuousClock.Instant = .now
    ) throws -> APIClient {
        let left = try request.timeLeft(at: now)
        return with {
            $0.options.timeouts.total = left.map { $0 * share }
            $0.options.traceContext = request.options.traceContext
        }
    }
}

/// Timeouts of a request, measured by a monotonic clock in milliseconds. Nil means no timeout.
public struct Timeouts: Hashable, Sendable {
    /// The phase of a request in which a timeout expired.
    public enum Phase: Hashable, Sendable {
        /// Connecting, for transports with a timeout of its own for that.
        case connect
        /// Connecting, sending the request, and waiting for the response head.
        case response
        /// Waiting for the next bytes, in either direction.
        case idle
        /// The whole request.
        case total
    }

    /// Time without progress from the connection slot to the response head; default 60 seconds. Sending body bytes
    /// restarts it.
    public var response: Duration?
    /// Time between two chunks of the response body; default 60 seconds.
    public var idle: Duration?
    /// Time for the whole request, including the wait for a connection slot; default nil, because it would also end
    /// healthy long downloads and event streams. Set it for untrusted servers: one that sends a byte now and then never
    /// exceeds the other timeouts.
    public var total: Duration?

    /// Creates timeouts.
    public init(response: Duration? = .seconds(60), idle: Duration? = .seconds(60), total: Duration? = nil) {
        self.response = response
        self.idle = idle
        self.total = total
    }

    /// Checks that each timeout is positive and at most 100 years.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`).
    public func validate() throws(HTTPMessageError) {
        for (name, timeout) in [("response", response), ("idle", idle), ("total", total)] {
            guard let timeout else { continue }
            guard timeout > .zero, timeout <= .century else {
                throw HTTPMessageError(
                    .invalidTimeout,
                    "Invalid \(name) timeout: \(timeout.secondsText); use more than 0 and at most 100 years.")
            }
        }
    }
}

extension Duration {
    /// Creates a timeout from a number of seconds.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`) for NaN, infinity, zero, negative numbers and over 100 years.
    public static func timeout(seconds: Double) throws(HTTPMessageError) -> Duration {
        // A tiny fraction rounds to a duration of zero.
        guard seconds.isFinite, seconds > 0, seconds <= .century, Duration.seconds(seconds) > .zero else {
            throw HTTPMessageError(
                .invalidTimeout, "Invalid timeout: \(seconds) s; use more than 0 and at most 100 years.")
        }
        return .seconds(seconds)
    }
}

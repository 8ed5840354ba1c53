/// How one request is to be carried out: how long it may take, how much may come back, what goes first,
/// and how often it may be tried.
public struct RequestOptions: Hashable, Sendable {
    /// The deadlines.
    public var timeouts: Timeouts
    /// The most bytes of a buffered response body, counted after decoding; default 64 MiB. Layers that go on after a
    /// response, by a redirect or a retry, ignore it for that one.
    public var maximumResponseBytes: Int
    /// How soon it is sent where requests queue; default ``RequestPriority/normal``.
    public var priority: RequestPriority
    /// A name of the caller's for this request or for a group of them; never sent. Default none.
    public var tag: String?
    /// How often it is sent at most where requests are sent again, the first time included; 1 means once. Of several
    /// layers that do so, one over the other, the outer one has it for itself, and the inner ones send once. Redirects do
    /// not count. Default none: then each layer has its own limit.
    public var maximumAttempts: Int?

    /// Options; what is left out has its default.
    public init(
        timeouts: Timeouts = Timeouts(), maximumResponseBytes: Int = 64 << 20, priority: RequestPriority = .normal,
        tag: String? = nil, maximumAttempts: Int? = nil
    ) {
        self.timeouts = timeouts
        self.maximumResponseBytes = maximumResponseBytes
        self.priority = priority
        self.tag = tag
        self.maximumAttempts = maximumAttempts
    }
}

/// The deadlines of a request, counted on a monotonic clock and kept to the millisecond. Nil means no deadline.
public struct Timeouts: Hashable, Sendable {
    /// What a deadline was waiting for.
    public enum Phase: Hashable, Sendable {
        /// Connecting, sending, and waiting for the head of the response.
        case response
        /// Waiting for the next bytes, in either direction.
        case idle
        /// The whole request.
        case total
        /// The whole request, which had not been sent yet: it waited for its turn in a queue.
        case turn
    }

    /// From the connection slot to the head of the response, while no bytes move; default 60 seconds. A body that is still
    /// being sent moves this deadline.
    public var response: Duration?
    /// Between two pieces of the response's body; default 60 seconds.
    public var idle: Duration?
    /// From the start to the end of the whole request, waiting for a connection slot included; default none, because it
    /// would end long downloads and event streams that do well. Set it for servers that may mean harm: one that sends a
    /// byte now and then passes no other deadline.
    public var total: Duration?

    /// Deadlines; what is left out has its default.
    public init(response: Duration? = .seconds(60), idle: Duration? = .seconds(60), total: Duration? = nil) {
        self.response = response
        self.idle = idle
        self.total = total
    }

    /// Checks that each deadline is more than zero and at most a hundred years.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`).
    public func validate() throws(HTTPMessageError) {
        for (name, timeout) in [("response", response), ("idle", idle), ("total", total)] {
            guard let timeout else { continue }
            guard timeout > .zero, timeout <= .seconds(100 * 365 * 86_400) else {
                throw HTTPMessageError(
                    .invalidTimeout,
                    "The \(name) timeout is \(timeout.secondsText); use more than zero and at most 100 years.")
            }
        }
    }
}

extension Duration {
    /// The duration of a number of seconds that may come from anywhere.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`) when it is not a number, negative, zero or past a hundred years.
    public static func timeout(seconds: Double) throws(HTTPMessageError) -> Duration {
        // A fraction can be so small that no duration but zero is near it.
        guard seconds.isFinite, seconds > 0, seconds <= 100 * 365 * 86_400, Duration.seconds(seconds) > .zero else {
            throw HTTPMessageError(
                .invalidTimeout, "The timeout is \(seconds) s; use more than zero and at most 100 years.")
        }
        return .seconds(seconds)
    }
}

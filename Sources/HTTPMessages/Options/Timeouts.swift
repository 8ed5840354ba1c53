/// Timeouts of a request, measured by a monotonic clock in milliseconds. Nil means no timeout.
public struct Timeouts: Hashable, Sendable {
    /// The phase of a request in which a timeout expired.
    @nonexhaustive public enum Phase: Hashable, Sendable {
        /// Waiting for a slot: of a queue, or of the connections to an origin.
        case queue
        /// Name resolution, connecting and the TLS handshake.
        case connect
        /// Sending the request body.
        case send
        /// Connecting, sending the request, and waiting for the response head.
        case response
        /// Waiting for the next bytes of the response body.
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
    public var total: Duration? {
        didSet { reducedTotal = nil }
    }
    /// Time in each queue that the request passes: a `RequestQueue`, and the connections of an engine to the origin;
    /// default nil.
    public var queue: Duration?
    /// Time for name resolution, connecting and the TLS handshake; default nil. An engine that does not see them fails
    /// with `unsupported`.
    public var connect: Duration?
    /// Time without progress while the request body is sent, connecting included; default nil: ``response``, which goes
    /// on then until the head.
    public var send: Duration?
    /// The total timeout that was set, if a layer has passed on what was left of it.
    private var reducedTotal: Duration?

    /// Creates timeouts.
    public init(
        response: Duration? = .seconds(60), idle: Duration? = .seconds(60), total: Duration? = nil,
        queue: Duration? = nil, connect: Duration? = nil, send: Duration? = nil
    ) {
        self.response = response
        self.idle = idle
        self.total = total
        self.queue = queue
        self.connect = connect
        self.send = send
    }

    /// The total timeout that was set for the call, for the error of an engine: ``total`` is what is left of it.
    public var wholeTotal: Duration? { reducedTotal ?? total }

    /// Sets what is left of the total timeout.
    package mutating func reduceTotal(to rest: Duration) {
        let whole = wholeTotal
        total = rest
        reducedTotal = whole
    }

    /// These timeouts, with those of settings in place of the ones that are as by default.
    package func filled(by settings: Timeouts) -> Timeouts {
        let standard = Timeouts()
        var timeouts = self
        if response == standard.response { timeouts.response = settings.response }
        if idle == standard.idle { timeouts.idle = settings.idle }
        if total == nil { timeouts.total = settings.total }
        timeouts.queue = queue ?? settings.queue
        timeouts.connect = connect ?? settings.connect
        timeouts.send = send ?? settings.send
        return timeouts
    }

    /// The length of the timeout for a phase, as it was set.
    public subscript(phase: Phase) -> Duration? {
        switch phase {
        case .queue: queue
        case .connect: connect
        case .send: send
        case .response: response
        case .idle: idle
        case .total: wholeTotal
        }
    }

    /// Checks that each timeout is positive and at most 100 years.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`).
    public func validate() throws(HTTPMessageError) {
        // One by one: an array of them would be allocated for each request.
        try Self.check(response, "response")
        try Self.check(idle, "idle")
        try Self.check(total, "total")
        try Self.check(queue, "queue")
        try Self.check(connect, "connect")
        try Self.check(send, "send")
    }

    private static func check(_ timeout: Duration?, _ name: StaticString) throws(HTTPMessageError) {
        guard let timeout, timeout <= .zero || timeout > .century else { return }
        throw HTTPMessageError(
            .invalidTimeout, "Invalid \(name) timeout: \(timeout.secondsText); use more than 0 and at most 100 years.")
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

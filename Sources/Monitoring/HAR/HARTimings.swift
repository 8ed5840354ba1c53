/// The phases of an exchange (HAR 1.2, `timings`); nil where a phase is unknown or did not happen.
///
/// The standard demands `send`, `wait` and `receive`: an unknown one is written as 0.
public struct HARTimings: Codable, Hashable, Sendable {
    /// Wait for a connection, and in a queue.
    public var blocked: Duration?
    /// Resolution of the host name.
    public var dns: Duration?
    /// The TCP connection, with ``ssl``.
    public var connect: Duration?
    /// The TLS handshake, a part of ``connect``.
    public var ssl: Duration?
    /// Sending of the request.
    public var send: Duration?
    /// Wait for the first byte of the response.
    public var wait: Duration?
    /// Reading of the response.
    public var receive: Duration?

    /// Creates timings.
    public init(
        blocked: Duration? = nil, dns: Duration? = nil, connect: Duration? = nil, ssl: Duration? = nil,
        send: Duration? = nil, wait: Duration? = nil, receive: Duration? = nil
    ) {
        self.blocked = blocked
        self.dns = dns
        self.connect = connect
        self.ssl = ssl
        self.send = send
        self.wait = wait
        self.receive = receive
    }

    /// Timings of an exchange of which only the whole duration is known; it counts as wait.
    public static func total(_ duration: Duration) -> HARTimings { HARTimings(wait: duration) }

    /// The sum of the phases, of which TLS is a part of the connection.
    public var sum: Duration {
        var sum = Duration.zero
        for phase in [blocked, dns, connect, send, wait, receive] {
            if let phase { sum += phase }
        }
        return sum
    }

    private enum CodingKeys: String, CodingKey { case blocked, dns, connect, ssl, send, wait, receive }

    /// Decodes timings; -1 and null mean a phase that did not happen.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func phase(_ key: CodingKeys) throws -> Duration? {
            try container.decodeIfPresent(Double.self, forKey: key).flatMap { Duration(milliseconds: $0) }
        }
        blocked = try phase(.blocked)
        dns = try phase(.dns)
        connect = try phase(.connect)
        ssl = try phase(.ssl)
        send = try phase(.send)
        wait = try phase(.wait)
        receive = try phase(.receive)
    }

    /// Encodes the timings in milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(blocked?.milliseconds, forKey: .blocked)
        try container.encodeIfPresent(dns?.milliseconds, forKey: .dns)
        try container.encodeIfPresent(connect?.milliseconds, forKey: .connect)
        try container.encodeIfPresent(ssl?.milliseconds, forKey: .ssl)
        try container.encode(send?.milliseconds ?? 0, forKey: .send)
        try container.encode(wait?.milliseconds ?? 0, forKey: .wait)
        try container.encode(receive?.milliseconds ?? 0, forKey: .receive)
    }
}

extension Duration {
    /// A duration of a file; nil if it is negative, not finite, or longer than a century.
    init?(milliseconds: Double) {
        guard milliseconds >= 0, milliseconds < 3.2e12 else { return nil }
        self = .microseconds(Int64((milliseconds * 1000).rounded()))
    }

    /// Milliseconds, rounded to microseconds; never negative.
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        let microseconds = Double(seconds) * 1e6 + (Double(attoseconds) / 1e12).rounded()
        return max(0, microseconds / 1000)
    }
}

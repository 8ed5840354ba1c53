/// Measurements of a transfer; what an engine cannot tell is nil.
///
/// The durations are measured from the start of the transfer in the engine. They include neither the wait for a slot
/// of the origin nor what a slow reader adds after the last byte. On Apple's platforms `URLSession` measures
/// them; on Linux it tells nothing about connections.
public struct TransferMetrics: Hashable, Sendable {
    /// The version of HTTP: `1.0`, `1.1`, `2` or `3`.
    public var httpVersion: String?
    /// True when the connection was open already.
    public var isConnectionReused: Bool?
    /// The end of the name resolution; nil for a reused connection.
    public var resolved: Duration?
    /// The end of the TCP handshake; nil for a reused connection.
    public var connected: Duration?
    /// The end of the TLS handshake; nil for a reused connection and without TLS.
    public var secured: Duration?
    /// The last byte of the request.
    public var sent: Duration?
    /// The first byte of the response.
    public var firstByte: Duration?
    /// The end of the transfer.
    public var total: Duration
    /// The size of the request body.
    public var bytesSent: Int64?
    /// The size of the response body as received, before decoding.
    public var bytesReceived: Int64?
    /// The address of the server or proxy.
    public var remoteAddress: String?

    /// Creates measurements.
    public init(
        httpVersion: String? = nil, isConnectionReused: Bool? = nil, resolved: Duration? = nil,
        connected: Duration? = nil, secured: Duration? = nil, sent: Duration? = nil, firstByte: Duration? = nil,
        total: Duration, bytesSent: Int64? = nil, bytesReceived: Int64? = nil, remoteAddress: String? = nil
    ) {
        self.httpVersion = httpVersion
        self.isConnectionReused = isConnectionReused
        self.resolved = resolved
        self.connected = connected
        self.secured = secured
        self.sent = sent
        self.firstByte = firstByte
        self.total = total
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.remoteAddress = remoteAddress
    }
}

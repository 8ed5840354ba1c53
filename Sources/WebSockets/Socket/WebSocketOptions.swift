/// Settings of one WebSocket.
public struct WebSocketOptions: Hashable, Sendable {
    /// The subprotocols that the client offers, the preferred one first; default none.
    ///
    /// The server selects one or none: ``WebSocket/subprotocol``. Some servers take a credential here: so logs do not
    /// show them, and a redirect to another origin goes without them.
    public var subprotocols: [String] = []
    /// The maximum size of a received message in bytes, after decompression; default 16 MiB.
    public var maximumMessageBytes = 16 << 20
    /// Compression to offer; nil offers none.
    ///
    /// URLSession on Apple's platforms has none, and offers none.
    public var compression: WebSocketCompression? = WebSocketCompression()
    /// The time between two pings that keep the connection alive; default 30 seconds; nil, zero and less send none.
    ///
    /// No ping is sent while the reader of messages lags: its pong could not be read.
    public var pingInterval: Duration? = .seconds(30)
    /// The time for a pong to arrive; default 20 seconds. If nothing else arrives either, and the network takes nothing
    /// of a long message, the connection is lost.
    public var pingTimeout: Duration = .seconds(20)
    /// The time for the peer to answer a close frame, after which the connection is closed; default 10 seconds.
    public var closeTimeout: Duration = .seconds(10)
    /// The size of received messages that wait for the reader, at which the socket is read no further; default 64 KiB.
    public var receiveBufferBytes = 64 << 10
    /// The size of sent frames that wait for the network, at which ``WebSocket/send(_:)`` waits; default 256 KiB.
    public var sendBufferBytes = 256 << 10

    /// Creates the default settings.
    public init() {}

    /// Default settings with changes.
    public init(_ change: (inout WebSocketOptions) -> Void) { change(&self) }
}

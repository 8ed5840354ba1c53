/// Settings of the compression of messages (permessage-deflate, RFC 7692), which the server may decline.
///
/// An attacker that has a part of a message, and sees the size of others, can guess secrets in them. Turn compression
/// off for messages that mix the two.
public struct WebSocketCompression: Hashable, Sendable {
    /// True if the server may refer to its earlier messages; default true. False saves memory.
    public var serverContextTakeover: Bool
    /// True if this side may refer to its earlier messages; default true. False saves memory.
    public var clientContextTakeover: Bool
    /// The server's window as a power of two, 8 to 15; default 15, which is 32 KiB.
    public var serverWindowBits: Int
    /// This side's window as a power of two, 9 to 15; default 15.
    public var clientWindowBits: Int
    /// The size below which messages are sent uncompressed; default 64 bytes.
    public var minimumBytes: Int

    /// Creates settings; each is described with its property.
    public init(
        serverContextTakeover: Bool = true, clientContextTakeover: Bool = true, serverWindowBits: Int = 15,
        clientWindowBits: Int = 15, minimumBytes: Int = 64
    ) {
        self.serverContextTakeover = serverContextTakeover
        self.clientContextTakeover = clientContextTakeover
        self.serverWindowBits = min(max(serverWindowBits, 8), 15)
        self.clientWindowBits = min(max(clientWindowBits, 9), 15)
        self.minimumBytes = max(minimumBytes, 0)
    }
}

public import HTTPMessages

extension HTTPResponseHead {
    /// The connection of a response with status 101 to a request with an upgrade; else nil.
    public var upgradedStream: UpgradedStream? {
        get { self[UpgradedStreamKey.self] }
        set { self[UpgradedStreamKey.self] = newValue }
    }

    /// The field `Sec-WebSocket-Key` that the engine has sent for this response; nil for other protocols, and if the
    /// engine has checked the handshake itself.
    ///
    /// The engine makes a key for each connection (RFC 6455, section 4.1), so that a retry or a redirect has another.
    public var webSocketKey: String? {
        get { self[WebSocketKey.self] }
        set { self[WebSocketKey.self] = newValue }
    }
}

private enum UpgradedStreamKey: ResponseMetadataKey {
    static var defaultValue: UpgradedStream? { nil }
}

private enum WebSocketKey: ResponseMetadataKey {
    static var defaultValue: String? { nil }
}

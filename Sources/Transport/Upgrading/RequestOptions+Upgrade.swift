public import HTTPMessages

extension RequestOptions {
    /// The protocol to which the server shall switch the connection (RFC 9110, section 7.8); default nil.
    ///
    /// The engine sends the fields `Upgrade` and `Connection`; for `websocket` also `Sec-WebSocket-Key`. If the
    /// response has status 101, its head has the connection: ``HTTPMessages/HTTPResponseHead/upgradedStream``. Others
    /// are delivered as usual. The timeouts apply until the head arrives. Layers handle the request as any other, so
    /// that it gets credentials and cookies. An engine without upgrades fails with `unsupported` before anything is
    /// sent.
    public var upgradeProtocol: String? {
        get { self[UpgradeProtocol.self] }
        set { self[UpgradeProtocol.self] = newValue }
    }

    /// The maximum size in bytes of a message that a ``WebSocketConnection`` receives; default 16 MiB.
    ///
    /// For an engine that frames the messages itself; the others deliver bytes.
    public var maximumMessageBytes: Int {
        get { self[MaximumMessageBytes.self] }
        set { self[MaximumMessageBytes.self] = newValue }
    }
}

private enum UpgradeProtocol: RequestOptionKey {
    static var defaultValue: String? { nil }
}

private enum MaximumMessageBytes: RequestOptionKey {
    static var defaultValue: Int { 16 << 20 }
}

extension HTTPRequest {
    /// True if each call needs a response of its own: one with status 101 has a connection.
    package var needsOwnResponse: Bool { options.upgradeProtocol != nil }
}

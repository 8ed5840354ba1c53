public import HTTPMessages

extension RequestOptions {
    /// The protocol to which the server shall switch the connection (RFC 9110, section 7.8); default nil.
    ///
    /// The engine sends the fields `Upgrade` and `Connection`. If the response has status 101, its head has the
    /// connection: ``HTTPMessages/HTTPResponseHead/upgradedStream``. Other responses are delivered as usual. The
    /// timeouts apply until the head arrives. Layers handle the request as any other, so that it gets credentials and
    /// cookies. An engine without upgrades fails with `unsupported` before anything is sent.
    public var upgradeProtocol: String? {
        get { self[UpgradeProtocol.self] }
        set { self[UpgradeProtocol.self] = newValue }
    }
}

private enum UpgradeProtocol: RequestOptionKey {
    static var defaultValue: String? { nil }
}

extension HTTPRequest {
    /// True if each call needs a response of its own: one with status 101 has a connection.
    package var needsOwnResponse: Bool { options.upgradeProtocol != nil }
}

extension HTTPResponseHead {
    /// The connection of a response with status 101 to a request with an upgrade; else nil.
    public var upgradedStream: UpgradedStream? {
        get { self[UpgradedStreamKey.self] }
        set { self[UpgradedStreamKey.self] = newValue }
    }
}

private enum UpgradedStreamKey: ResponseMetadataKey {
    static var defaultValue: UpgradedStream? { nil }
}

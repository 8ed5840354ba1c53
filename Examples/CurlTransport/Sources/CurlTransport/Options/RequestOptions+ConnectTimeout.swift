public import HTTPMessages

private enum ConnectTimeout: RequestOptionKey {
    static var defaultValue: Duration? { nil }
}

extension RequestOptions {
    /// Timeout of name resolution, connecting and the TLS handshake; default nil: none.
    ///
    /// Rounded up to milliseconds. Its expiry is `timedOut` with the phase `response`. Only ``CurlTransport`` has it.
    public var connectTimeout: Duration? {
        get { self[ConnectTimeout.self] }
        set { self[ConnectTimeout.self] = newValue }
    }
}

public import HTTPMessages

private enum ConnectTimeout: RequestOptionKey {
    static var defaultValue: Duration? { nil }
}

extension RequestOptions {
    /// Time for resolving the host name, connecting and the TLS handshake, in milliseconds; default nil.
    ///
    /// Its expiry is `timedOut` with the phase `response`. It is an option of ``CurlTransport``.
    public var connectTimeout: Duration? {
        get { self[ConnectTimeout.self] }
        set { self[ConnectTimeout.self] = newValue }
    }
}

public import HTTPMessages

private enum ConnectTimeout: RequestOptionKey {
    static var defaultValue: Duration? { nil }
}

extension RequestOptions {
    /// Timeout of name resolution, connecting and the TLS handshake; default nil: none.
    ///
    /// Rounded up to milliseconds. Its expiry is `timedOut` with the phase `connect`; zero, negative values and more
    /// than 100 years are `invalidTimeout`. Only ``CurlTransport`` has it.
    public var connectTimeout: Duration? {
        get { self[ConnectTimeout.self] }
        set { self[ConnectTimeout.self] = newValue }
    }

    /// Checks ``connectTimeout`` as `Timeouts` checks its own.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`).
    func validateConnectTimeout() throws(HTTPMessageError) {
        guard let connectTimeout else { return }
        guard connectTimeout > .zero, connectTimeout <= .seconds(100 * 365 * 86_400) else {
            throw HTTPMessageError(
                .invalidTimeout, "Invalid connect timeout: \(connectTimeout); use more than 0 and at most 100 years.")
        }
    }
}

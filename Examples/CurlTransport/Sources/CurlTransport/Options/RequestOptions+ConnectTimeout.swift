public import HTTPMessages

extension RequestOptions {
    /// Timeout of name resolution, connecting and the TLS handshake; default nil: none. Same as `Timeouts.connect`.
    ///
    /// Rounded up to milliseconds. Its expiry is `timedOut` with the phase `connect`; zero, negative values and more
    /// than 100 years are `invalidTimeout`.
    public var connectTimeout: Duration? {
        get { timeouts.connect }
        set { timeouts.connect = newValue }
    }
}

public import HTTPMessages

extension RequestOptions {
    /// True to send the request over a connection of its own, which is closed after the response; default false.
    ///
    /// An engine sends a request again by itself, up to five times, when a kept connection turns out to be closed
    /// before the response; over a new connection it does not. Honored by ``URLSessionTransport`` on Linux for
    /// HTTP/1.1, and by `CurlTransport`; ignored elsewhere.
    public var usesNewConnection: Bool {
        get { self[NewConnection.self] }
        set { self[NewConnection.self] = newValue }
    }
}

private enum NewConnection: RequestOptionKey { static let defaultValue = false }

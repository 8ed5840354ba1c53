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

extension RequestOptions {
    /// Whether the response may have a content coding, such as gzip, which the engine decodes; default true.
    ///
    /// False asks the server for the bytes as they are (`Accept-Encoding: identity`), unless the request has the field:
    /// for a body whose length or digest counts. A server that sends a coded body all the same has it decoded. Honored
    /// by ``URLSessionTransport`` and `CurlTransport`.
    public var acceptsContentCodings: Bool {
        get { hasLayerOptions ? self[AcceptsContentCodings.self] : true }
        set { self[AcceptsContentCodings.self] = newValue }
    }
}

private enum AcceptsContentCodings: RequestOptionKey { static let defaultValue = true }
private enum NewConnection: RequestOptionKey { static let defaultValue = false }

/// Options for ``StreamingTransport/download(_:to:options:observer:)``.
public struct DownloadOptions: Hashable, Sendable {
    /// Whether an interrupted download is kept and resumed by the next call; default false.
    ///
    /// See ``StreamingTransport/download(_:to:options:observer:)`` for the requirements.
    public var resumes: Bool
    /// Maximum file size in bytes; default nil, unlimited.
    public var maximumBytes: Int64?

    /// Creates options.
    public init(resumes: Bool = false, maximumBytes: Int64? = nil) {
        self.resumes = resumes
        self.maximumBytes = maximumBytes
    }
}

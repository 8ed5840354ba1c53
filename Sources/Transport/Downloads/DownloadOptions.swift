/// How a file is downloaded.
public struct DownloadOptions: Hashable, Sendable {
    /// Keep what came when the download is interrupted, and go on from there the next time, also in another process;
    /// default false.
    ///
    /// See ``StreamingTransport/download(_:to:options:observer:)`` for when that is possible.
    public var resumes: Bool
    /// The most bytes of the file; default nil, any number.
    public var maximumBytes: Int64?

    /// Options; what is left out has its default.
    public init(resumes: Bool = false, maximumBytes: Int64? = nil) {
        self.resumes = resumes
        self.maximumBytes = maximumBytes
    }
}

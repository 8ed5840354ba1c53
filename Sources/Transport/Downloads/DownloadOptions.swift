/// Options for ``StreamingTransport/download(_:to:options:renewingURL:observer:clock:)``.
public struct DownloadOptions: Hashable, Sendable {
    /// Whether an interrupted download is kept and resumed by the next call; default false.
    ///
    /// See ``StreamingTransport/download(_:to:options:renewingURL:observer:clock:)`` for the requirements. If several
    /// users may download the file, set `RequestOptions.cachePartition`: nothing else tells their files apart.
    public var resumes: Bool
    /// Maximum file size in bytes; default nil, unlimited.
    public var maximumBytes: Int64?
    /// Attempts of one call without a byte between them; default 1.
    ///
    /// After a lost connection or a timeout of an attempt, the call waits, from 0.2 seconds up to 20, unless the
    /// attempt has brought a MiB, and requests the rest of the file, or the whole file if the download cannot be
    /// resumed. So it does after a request that a layer refuses to send: it waits as long as that layer says, up to
    /// ten minutes. Bytes that arrive reset the count; the attempts of a retrying layer count. Only an idempotent
    /// request is sent again.
    public var maximumAttempts: Int
    /// The name of the file by which an interrupted download is found again, regardless of the URL; default nil: the
    /// URL. Its `ETag` must still be the same.
    public var identity: String?
    /// How the content is checked before the file appears at its place; default not at all.
    ///
    /// The bytes are read once more for it. A file with another digest is deleted, and the call fails with
    /// `digestMismatch`.
    public var digest: DownloadDigest

    /// Creates options.
    public init(
        resumes: Bool = false, maximumBytes: Int64? = nil, maximumAttempts: Int = 1, identity: String? = nil,
        digest: DownloadDigest = .ignored
    ) {
        self.resumes = resumes
        self.maximumBytes = maximumBytes
        self.maximumAttempts = maximumAttempts
        self.identity = identity
        self.digest = digest
    }

    /// An interrupted download is resumed: by the call itself, and by the next call.
    ///
    /// The call ends after ten attempts without a byte between them.
    public static let retrying = DownloadOptions(resumes: true, maximumAttempts: 10)
}

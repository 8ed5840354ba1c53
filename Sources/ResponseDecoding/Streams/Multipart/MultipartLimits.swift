/// Limits of a multipart body, against bodies that are built to exhaust memory or time.
public struct MultipartLimits: Hashable, Sendable {
    /// Maximum number of parts; default 1,000.
    public var parts: Int
    /// Maximum bytes of the fields of one part; default 16 KiB.
    public var fieldBytes: Int
    /// Maximum bytes of a part's name, and of its file name, in UTF-8; default 1 KiB.
    public var nameBytes: Int
    /// Maximum bytes of the content of one part; default none, because contents are streamed.
    public var partBytes: Int64

    /// Creates limits.
    public init(
        parts: Int = 1000, fieldBytes: Int = 16 << 10, nameBytes: Int = 1 << 10, partBytes: Int64 = .max
    ) {
        self.parts = parts
        self.fieldBytes = fieldBytes
        self.nameBytes = nameBytes
        self.partBytes = partBytes
    }

    /// The default limits.
    public static let standard = MultipartLimits()
}

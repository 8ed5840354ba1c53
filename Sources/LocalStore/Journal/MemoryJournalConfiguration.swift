/// Settings for the journal file of a ``MemoryStore``.
public struct MemoryJournalConfiguration: Hashable, Sendable {
    /// The path of the file; its folder must exist.
    ///
    /// A rewrite creates `<path>.new` for a moment. While a store is open, an empty `<path>.lock` excludes other
    /// stores; do not delete it.
    public var path: String
    /// True if a commit returns only after it is on the disk, so a power failure loses none; default false.
    ///
    /// When false, the system chooses when to write: a commit survives the process, but not always a power failure.
    /// Bytes that reached the disk out of order are detected as damage.
    public var isSynchronous: Bool
    /// Minimum size in bytes for a rewrite of the journal, which happens when it has doubled since the last one.
    /// Default 4 MiB.
    public var rotationSize: Int
    /// Approximate maximum size of a frame in bytes; a record is never split.
    package var frameSize = 1 << 20

    /// Creates a configuration. Opening a second store with the same file throws `busy`.
    public init(path: String, isSynchronous: Bool = false, rotationSize: Int = 4 << 20) {
        self.path = path
        self.isSynchronous = isSynchronous
        self.rotationSize = rotationSize
    }
}

/// Where a ``MemoryStore`` keeps its journal, and how carefully.
public struct MemoryJournalConfiguration: Hashable, Sendable {
    /// The path of the file; its folder must be there. While it is rewritten there is another file beside it, with
    /// `.new` behind its name. While a store is open there is an empty one with `.lock` behind its name, which keeps
    /// other stores away and is not to be removed.
    public var path: String
    /// True when a commit returns only after the disk has it, so that a power failure loses none. When false, which is
    /// the default, the system writes when it likes: a commit outlives the process, but not always the machine, and a
    /// power failure that let later bytes reach the disk before earlier ones is found as damage.
    public var isSynchronous: Bool
    /// How many bytes the journal has to have before it is rewritten, once it has twice as many as after the last time.
    /// Default 4 MiB.
    public var rotationSize: Int
    /// About how many bytes a frame may have; a record is never cut.
    package var frameSize = 1 << 20

    /// A journal's settings. Only one store at a time may have a file for its journal; another one throws `busy`.
    public init(path: String, isSynchronous: Bool = false, rotationSize: Int = 4 << 20) {
        self.path = path
        self.isSynchronous = isSynchronous
        self.rotationSize = rotationSize
    }
}

/// Where a ``MemoryStore`` keeps its journal, and how carefully.
public struct MemoryJournalConfiguration: Hashable, Sendable {
    /// The path of the file. While it is rewritten there is another one beside it, with `.new` behind its name.
    public var path: String
    /// True when a commit returns only after the disk has it, so that a power failure loses none. When false, which is
    /// the default, the system writes when it likes: a commit outlives the process, but not always the machine.
    public var isSynchronous: Bool
    /// How many bytes the journal has to have before it is rewritten, once it has twice as many as after the last time.
    /// Default 4 MiB.
    public var rotationSize: Int

    /// A journal's settings. Only one store at a time may have a file for its journal.
    public init(path: String, isSynchronous: Bool = false, rotationSize: Int = 4 << 20) {
        self.path = path
        self.isSynchronous = isSynchronous
        self.rotationSize = rotationSize
    }
}

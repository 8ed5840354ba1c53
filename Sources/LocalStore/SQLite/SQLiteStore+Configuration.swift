extension SQLiteStore {
    /// Where the tables are.
    public enum Location: Hashable, Sendable {
        /// In memory; they are gone when the store is.
        case memory
        /// In a file, which is made if it is not there. Its folder must be.
        case file(String)
    }

    /// When a commit is on the disk.
    public enum Durability: Hashable, Sendable {
        /// At the next checkpoint of the log. A program that crashes loses nothing; a machine that does may lose the
        /// last transactions, as a whole (SQLite's `synchronous=NORMAL`). Where SQLite cannot keep its log, as on some
        /// network drives, it is as ``full``.
        case normal
        /// Before the call that commits returns (`synchronous=FULL`). On Apple's systems `fullfsync` is on too; their
        /// SQLite is reported to keep the order of writes only (`F_BARRIERFSYNC`), so the last commits before a loss of
        /// power may still be lost there, as a whole. The journal of a `MemoryStore` waits for the drive itself.
        case full
    }

    /// What to do on opening a file that is damaged.
    public enum Damage: Hashable, Sendable {
        /// Throw `corrupt`, and leave the file as it is.
        case fail
        /// Give the file and its log another name, and begin an empty one; see ``SQLiteStore/fileSetAside``. Throw `busy`
        /// when another connection or program has the file open.
        case setAside
    }

    /// How a store works.
    public struct Configuration: Sendable {
        /// How long a call waits for another thread or another program; default 5 seconds.
        public var busyTimeout: Duration = .seconds(5)
        /// When a commit is on the disk; default ``SQLiteStore/Durability/normal``.
        public var durability = Durability.normal
        /// What to do on opening a file that is damaged; default ``SQLiteStore/Damage/fail``.
        public var damage = Damage.fail
        /// True to read the whole file on opening and see that it is sound; default false, which finds a damage only
        /// where it is read.
        public var checksIntegrity = false
        /// How many compiled statements each connection keeps; default 64. With 0 or less each is compiled for each run.
        /// One of more than 16 KiB of text is never kept.
        public var statementCapacity = 64
        /// How many connections are kept for readers when nobody reads; default 4. As many as there are readers are
        /// opened.
        public var idleReaders = 4
        /// The SQLite to work with; default ``SQLiteLibrary/system``.
        public var library = SQLiteLibrary.system

        /// The defaults.
        public init() {}
    }
}

import LocalStore

extension SQLiteStore {
    /// Location of a database.
    public enum Location: Hashable, Sendable {
        /// In memory; the tables are lost with the store.
        case memory
        /// In a file, created if missing. Its folder must exist.
        case file(String)
    }

    /// When a commit is flushed to the disk.
    public enum Durability: Hashable, Sendable {
        /// At the next checkpoint of the log (`synchronous=NORMAL`).
        ///
        /// A crash of the program loses nothing; a power failure may lose the last transactions, each as a whole.
        /// Without WAL, as on some network drives, this equals ``full``.
        case normal
        /// Before the committing call returns (`synchronous=FULL`).
        ///
        /// On Apple platforms `fullfsync` is on too; their SQLite is reported to guarantee only the order of writes
        /// (`F_BARRIERFSYNC`), so a power failure may still lose the last commits there, each as a whole. The journal
        /// of a ``MemoryStore`` waits for the drive itself.
        case full
    }

    /// What to do with a corrupt file on opening.
    public enum CorruptionPolicy: Hashable, Sendable {
        /// Throw `corrupt` and leave the file unchanged.
        case fail
        /// Rename the file and its log, and create an empty database; see ``SQLiteStore/quarantinedFile``.
        ///
        /// Opening throws `busy` when another connection or program has the file open.
        case quarantine
    }

    /// Settings of a store.
    public struct Configuration: Sendable {
        /// Maximum wait for another thread or program; default 5 seconds.
        public var busyTimeout: Duration = .seconds(5)
        /// When a commit is flushed to the disk; default ``SQLiteStore/Durability/normal``.
        public var durability = Durability.normal
        /// What to do with a corrupt file on opening; default ``SQLiteStore/CorruptionPolicy/fail``.
        public var corruptionPolicy = CorruptionPolicy.fail
        /// True to check the whole file on opening; default false: corruption is then found when it is read.
        public var verifiesIntegrityOnOpen = false
        /// Prepared statements cached by each connection; default 64, and 0 or less disables the cache.
        ///
        /// Statements of more than 16 KiB of text are never cached.
        public var statementCacheSize = 64
        /// Maximum number of idle reader connections to keep; default 4. Active readers are not limited.
        public var maximumIdleReaders = 4
        /// The SQLite library; default ``SQLiteLibrary/system``.
        public var library = SQLiteLibrary.system

        /// Creates the default configuration.
        public init() {}
    }
}

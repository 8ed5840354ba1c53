import StoreCore

extension SQLiteStore {
    /// Location of a database.
    @nonexhaustive public enum Location: Hashable, Sendable {
        /// In memory; the tables are lost with the store.
        case memory
        /// In a file, created if missing. Its folder must exist.
        case file(String)
    }

    /// What a store may do with its file.
    @nonexhaustive public enum Access: Hashable, Sendable {
        /// Reads and writes; the file is created if missing.
        case readWrite
        /// Reads only; writes throw `readOnly`, and the file must exist.
        ///
        /// Other programs may write the file. A file in WAL mode needs its `-shm` file: SQLite creates that and an
        /// empty log beside the file, or opening throws `io` where the folder is not writable; see ``immutable``. So
        /// does a journal that a killed program has left: it has to be rolled back, with ``readWrite``.
        case readOnly
        /// Reads only, for a file that no program changes: in an app's bundle, or on a read-only disk.
        ///
        /// No file is created or locked. Opening throws `io` when a log beside the file contains changes.
        case immutable
    }

    /// Where SQLite keeps temporary tables and indexes, such as those of large sorts.
    @nonexhaustive public enum TemporaryStorage: Hashable, Sendable {
        /// In files, which SQLite removes.
        case file
        /// In memory.
        case memory
    }

    /// When a commit is flushed to the disk.
    @nonexhaustive public enum Durability: Hashable, Sendable {
        /// At the next checkpoint of the log (`synchronous=NORMAL`).
        ///
        /// A crash of the program loses nothing; a power failure may lose the last transactions, each as a whole.
        /// Without WAL, as on some network drives, this equals ``full``.
        case normal
        /// Before the committing call returns (`synchronous=FULL`).
        ///
        /// On Apple platforms `fullfsync` is on too; their SQLite is reported to guarantee only the order of writes
        /// (`F_BARRIERFSYNC`), so a power failure may still lose the last commits there, each as a whole. The journal
        /// of a `MemoryStore` waits for the drive itself.
        case full
    }

    /// What to do with a corrupt file on opening.
    @nonexhaustive public enum CorruptionPolicy: Hashable, Sendable {
        /// Throw `corrupt` and leave the file unchanged.
        case fail
        /// Rename the file and its log, and create an empty database; see ``SQLiteStore/quarantinedFile``.
        ///
        /// Opening throws `busy` when another connection or program has the file open.
        case quarantine
    }

    /// Settings of a store.
    public struct Configuration: Sendable {
        /// Maximum wait for another thread or program, also while a file is opened; default 5 seconds.
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

        /// What the store may do with its file; default ``SQLiteStore/Access/readWrite``.
        public var access = Access.readWrite
        /// True to enforce `FOREIGN KEY` constraints, which SQLite by itself does not; default true.
        public var enforcesForeignKeys = true

        /// True to let views, triggers, indexes and constraints of the file use every function and virtual table.
        ///
        /// Set it for a file that only your app writes. Default false: only those that SQLite or the app calls
        /// innocuous (`trusted_schema`), so that a file of another origin cannot misuse them. Some versions of SQLite,
        /// such as 3.40, do not call JSON functions or FTS5 innocuous: `json_extract` in a view, an index, a generated
        /// column or a constraint, or a trigger that writes an FTS5 table, throws `unsupportedSQL` there.
        public var trustsSchema = false

        /// True to take a name in double quotes as text where it names no column, as SQLite does by default.
        ///
        /// Default false: it is `noSuchColumn`, so that a misspelled name, or text in the wrong quotes, is no value.
        /// Set it for a file with old views and triggers, or for old statements, that have text in double quotes.
        /// SQLite knows the difference since 3.29; with an older one it is text in any case, except after `DEFAULT`.
        public var allowsDoubleQuotedText = false

        /// The app's SQL functions, on every connection; default none.
        public var functions: [Function] = []
        /// The app's collations, on every connection; default none.
        public var collations: [Collation] = []
        /// Called after each statement of the store; default nil, which costs nothing.
        ///
        /// It is called on the thread of the statement, outside any lock, before the call that ran the statement
        /// returns, or the whole transaction. It may use the store; statements that it runs are not traced.
        public var trace: (@Sendable (StatementTrace) -> Void)?

        /// Page cache of each connection in bytes; default nil, SQLite's default (2 MB).
        public var cacheBytes: Int?
        /// Bytes of the file that each connection may map into memory; default nil, SQLite's default (usually 0).
        ///
        /// An I/O error of a mapped file, for example when another program truncates it, ends the process.
        public var memoryMapBytes: Int?
        /// Where SQLite keeps temporary tables and indexes; default nil, SQLite's default (usually files).
        ///
        /// With an encryption key they are in memory, since files would be plain text; `.file` is `invalidArgument`
        /// then.
        public var temporaryStorage: TemporaryStorage?
        /// Pages by which the log grows until they are copied to the file; default nil, 1000.
        ///
        /// A thread for reads copies them, so that no commit waits for the disk longer than it must. 0 turns this off;
        /// call ``SQLiteStore/checkpoint(_:)`` then.
        public var checkpointPages: Int?

        /// Creates the default configuration.
        public init() {}
    }
}

import Foundation
import StoreCore
import SystemLibraries

/// Opens and configures the connections of a store.
struct SQLiteConnectionFactory: Sendable {
    enum Role {
        case writer, reader
        /// The destination of a backup, which keeps the file's journal mode.
        case backup
    }

    let path: String
    let isFile: Bool
    /// The key for new connections, shared by all copies.
    let currentKey: CurrentKey
    let configuration: SQLiteStore.Configuration
    let functions: SQLiteFunctions
    /// The open connections.
    let interrupts = StoreInterrupts()
    /// Identity of the file that the writer opened; nil before.
    var identity: FileStatus.Identity?
    /// Receives the traces of statements; nil when they are not traced.
    let tracer: StatementTracer?
    /// Copies the log in the background; nil if that is turned off.
    let checkpointer: LogCheckpointer?

    var key: EncryptionKey { currentKey.value }
    var isReadOnly: Bool { configuration.access != .readWrite }

    /// Checks the key before anything is opened, so that no file is created when encryption is unavailable.
    /// - Throws: `StoreError`.
    init(
        _ location: SQLiteStore.Location, key: EncryptionKey, _ configuration: SQLiteStore.Configuration
    ) throws(StoreError) {
        functions = try configuration.library.load()
        self.configuration = configuration
        currentKey = CurrentKey(key)
        tracer = configuration.trace.map { StatementTracer($0) }
        let pages = configuration.checkpointPages ?? 1000
        checkpointer = pages > 0 ? LogCheckpointer(growth: pages, functions) : nil
        switch location {
        case .memory:
            guard configuration.access == .readWrite else {
                throw StoreError(
                    .invalidArgument, "Store in memory cannot be read-only; open a file, or use `.readWrite`.")
            }
            path = ":memory:"
            isFile = false
        case .file(let path):
            self.path = try SQLiteFile(path).path
            isFile = true
        }
        guard !key.text.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "Invalid encryption key: it contains NUL.")
        }
        try Self.checkSizes(configuration)
        if key != .unencrypted { try checkEncryption() }
        if isFile, isReadOnly { try SQLiteFile(path).checkReadOnly(configuration.access) }
    }

    /// Checks that the kind of the file matches the key, before SQLite reads it.
    private func check(_ kind: SQLiteFile.Kind) throws(StoreError) {
        switch (kind, hasKey: key != .unencrypted) {
        case (.none, _), (.plain, hasKey: false), (.encrypted, hasKey: true): return
        case (.plain, hasKey: true):
            throw StoreError(.wrongKey, "Database is not encrypted: \(path); open it without a key.")
        case (.encrypted, hasKey: false):
            throw StoreError(
                .keyRequired,
                "File is encrypted or not a database: \(path); pass its encryption key, or check the path.")
        case (.other, _):
            throw StoreError(
                .corrupt, "File is not a database: \(path); choose another path, or move the file away.")
        }
    }

    /// Checks the kind of a file, unless its journal has to be rolled back first: its pages may be incomplete.
    private func checkKind(of connection: borrowing SQLiteConnection) throws(StoreError) {
        let kind = try connection.fileKind()
        if kind == .other, SQLiteFile.hasJournal(connection.fileName ?? path) { return }
        try check(kind)
    }

    /// - Throws: `StoreError`: `encryptionUnavailable`; `invalidArgument` for temporary files, which are not encrypted.
    private func checkEncryption() throws(StoreError) {
        guard configuration.temporaryStorage != .file else {
            throw StoreError(
                .invalidArgument,
                "Temporary files of an encrypted store would be plain text; set `Configuration.temporaryStorage` to "
                    + "`.memory` or nil.")
        }
        try checkCipher()
    }

    /// Requires a positive sign of encryption support: plain SQLite silently ignores a key and writes plain text.
    func checkCipher() throws(StoreError) {
        var probe = try open(":memory:", flags: SQLiteConstant.openReadWrite | SQLiteConstant.openCreate)
        var version: String?
        try probe.runInternal("PRAGMA cipher_version") { version = $0.text(at: 0) }
        guard version?.isEmpty == false else {
            throw StoreError(
                .encryptionUnavailable,
                "Encryption unavailable: this SQLite library cannot encrypt; set `Configuration.library` to SQLCipher.")
        }
    }

    private func open(_ path: String, flags: CInt) throws(StoreError) -> SQLiteConnection {
        try SQLiteConnection(
            path: path, flags: flags, busyTimeout: configuration.busyTimeout,
            statementCacheSize: configuration.statementCacheSize,
            allowsDoubleQuotedText: configuration.allowsDoubleQuotedText, interrupts, functions)
    }

    /// - Parameter createsFile: true to create the file if it is missing.
    private func open(createsFile: Bool) throws(StoreError) -> SQLiteConnection {
        let create = createsFile ? SQLiteConstant.openCreate : 0
        guard isFile else { return try open(path, flags: SQLiteConstant.openReadWrite | create) }
        return try OpenDatabaseFile.open(path, functions) { () throws(StoreError) in
            switch configuration.access {
            case .readWrite: try open(path, flags: SQLiteConstant.openReadWrite | create)
            case .readOnly: try open(path, flags: SQLiteConstant.openReadOnly)
            case .immutable:
                try open(
                    SQLiteFile(path).immutableURI, flags: SQLiteConstant.openReadOnly | SQLiteConstant.openURI)
            }
        }
    }

    /// Copies the log as it is, beside the writer.
    func copyLog() { checkpointer?.copy { () throws(StoreError) in try makeConnection(.reader) } }

    /// Runs `body` while no copy of the log runs in the background.
    func pausingCopies<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let checkpointer else { return try body() }
        return try checkpointer.pausing(body)
    }

    /// Runs `body` while no copy of the log runs in the background, and starts none from then on.
    func stopCopies(after body: () throws -> Void) rethrows {
        guard let checkpointer else { return try body() }
        try checkpointer.stop(after: body)
    }

    /// Quarantines a corrupt file.
    /// - Returns: its new path.
    func quarantine() throws(StoreError) -> String {
        try SQLiteFile(path).quarantine(with: open(createsFile: false))
    }

    /// True when a power failure could corrupt the file unless each commit is synchronized.
    ///
    /// That is so in every journal mode except WAL (sqlite.org/pragma.html#pragma_synchronous).
    /// - Parameter journalMode: the journal mode that SQLite chose; nil for an in-memory database.
    static func needsFullSync(journalMode: String?) -> Bool { journalMode.map { $0 != "wal" } ?? false }

    /// Opens, unlocks and configures a connection.
    func makeConnection(_ role: Role) throws(StoreError) -> SQLiteConnection {
        // A reader, or a writer that is opened again, must not create the file, nor open another one that replaced it.
        let isFirst = role == .backup || role == .writer && identity == nil
        var connection = try open(createsFile: isFirst && !isReadOnly)
        if isFirst {
            if isFile { try checkKind(of: connection) }
        } else {
            guard identity == nil || connection.openFile?.identity == identity else {
                throw StoreError(
                    .io, "Database file was replaced while the store had it open: \(path); open a new store.")
            }
        }
        // Before the first read: the schema may use them.
        try connection.register(configuration)
        try unlock(&connection)
        if !configuration.trustsSchema { try connection.runInternal("PRAGMA trusted_schema = OFF") { _ in } }
        try applySizes(to: &connection)
        switch role {
        case .reader:
            try connection.runInternal("PRAGMA query_only = ON") { _ in }
            // For its checkpoints.
            if !isReadOnly { try synchronizeCommits(of: &connection, isFull: configuration.durability == .full) }
        case .backup: try synchronizeCommits(of: &connection, isFull: true)
        case .writer:
            // Before setting the journal mode, which writes to the file.
            if configuration.verifiesIntegrityOnOpen, let problem = try connection.integrityProblems().first {
                throw StoreError(.corrupt, "Database is corrupt: \(path): \(problem); restore a backup.")
            }
            if !isReadOnly { try prepareWriting(&connection) }
        }
        connection.tracer = tracer
        return connection
    }

    /// Passes the key, then reads for the first time, which verifies the key and that the file is a database.
    private func unlock(_ connection: inout SQLiteConnection) throws(StoreError) {
        if key != .unencrypted { try connection.runInternal("PRAGMA key = \(key.quoted)") { _ in } }
        do throws(StoreError) {
            try connection.runInternal("SELECT count(*) FROM sqlite_master") { _ in }
        } catch {
            if configuration.access == .readOnly, let problem = readOnlyProblem(error) { throw problem }
            guard key != .unencrypted, error.code == .corrupt else { throw error }
            throw StoreError(
                .wrongKey, "Wrong encryption key, or not a database: \(path); check the key.",
                engineCode: error.engineCode)
        }
    }

    /// The error of a file that cannot be read without writing beside it; nil for other errors.
    private func readOnlyProblem(_ error: StoreError) -> StoreError? {
        guard let code = error.engineCode else { return nil }
        let cause: String
        if code == SQLiteConstant.readOnlyRollback {
            cause = "the transaction of a killed program has to be rolled back; open it once with `Access.readWrite`"
        } else if code & 0xFF == SQLiteConstant.cannotOpen
            || [SQLiteConstant.readOnlyDirectory, SQLiteConstant.readOnlyCannotInitialize].contains(code)
        {
            cause =
                "it is in WAL mode, and its folder is not writable; use `Access.immutable` if no program changes the file"
        } else {
            return nil
        }
        return StoreError(
            .io, "Cannot open the database read-only: \(path): \(cause).", engineCode: error.engineCode)
    }

    /// Applies the settings of the connection that writes.
    private func prepareWriting(_ connection: inout SQLiteConnection) throws(StoreError) {
        let mode = isFile ? try switchToWAL(&connection) : nil
        connection.usesWAL = mode == "wal"
        if connection.usesWAL, let checkpointer, checkpointer.install(on: connection.database) {
            connection.checkpointer = checkpointer
        }
        try synchronizeCommits(
            of: &connection, isFull: configuration.durability == .full || Self.needsFullSync(journalMode: mode))
        // Some systems' SQLite overwrites each page of a dropped table, through the log. On a full disk it then cannot
        // drop a table.
        try connection.runInternal("PRAGMA secure_delete = FAST") { _ in }
        // SQLite ignores it within a transaction, so it is set once and for all.
        try connection.enforceForeignKeys(configuration.enforcesForeignKeys)
    }

    /// Switches a file to write-ahead logging, where SQLite can.
    ///
    /// SQLite does not wait there: it fails at once while another connection writes the file, or switches it too.
    /// - Returns: the file's journal mode.
    private func switchToWAL(_ connection: inout SQLiteConnection) throws(StoreError) -> String? {
        let wait = BusyWait(timeout: configuration.busyTimeout)
        wait.start()
        var attempts: CInt = 0
        while true {
            do throws(StoreError) {
                var mode: String?
                try connection.runInternal("PRAGMA journal_mode = WAL") { mode = $0.text(at: 0) }
                return mode
            } catch {
                guard error.code == .busy else { throw error }
                attempts += 1
                guard wait.next(attempts, isInterrupted: false) else { throw wait.takeEnded() ? .interrupted : error }
            }
        }
    }

    private func synchronizeCommits(of connection: inout SQLiteConnection, isFull: Bool) throws(StoreError) {
        try connection.runInternal("PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")") { _ in }
        // On Apple platforms a plain fsync lets the drive reorder writes; elsewhere this has no effect.
        if isFull { try connection.runInternal("PRAGMA fullfsync = ON") { _ in } }
    }
}

extension SQLiteConnection {
    /// Runs an internal statement without caching its text, which may contain a key.
    mutating func runInternal(_ sql: String, each: (borrowing StoreRow) -> Void) throws(StoreError) {
        try rethrowingStoreErrors {
            try runOnce(sql) { row in
                each(row)
                return true
            }
        }
    }

    /// Runs SQLite's integrity check; empty when no problem is found.
    mutating func integrityProblems() throws(StoreError) -> [String] {
        var problems: [String] = []
        do throws(StoreError) {
            try runInternal("PRAGMA integrity_check") { row in problems.append(row.text(at: 0) ?? "") }
        } catch {
            // The file may be too corrupt to be checked.
            guard error.code == .corrupt else { throw error }
            problems.append(error.message)
        }
        return problems == ["ok"] ? [] : problems
    }
}

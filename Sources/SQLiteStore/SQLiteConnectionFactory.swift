import Foundation
import LocalStore
import SystemLibraries

/// Opens and configures the connections of a store.
struct SQLiteConnectionFactory: Sendable {
    enum Role { case writer, reader }

    let path: String
    let isFile: Bool
    let key: EncryptionKey
    let configuration: SQLiteStore.Configuration
    let functions: SQLiteFunctions
    /// Identity of the file that the writer opened; nil before.
    var identity: OpenDatabaseFile.Identity?

    /// Checks the key before anything is opened, so that no file is created when encryption is unavailable.
    /// - Throws: `StoreError`.
    init(
        _ location: SQLiteStore.Location, key: EncryptionKey, _ configuration: SQLiteStore.Configuration
    ) throws(StoreError) {
        functions = try configuration.library.load()
        self.configuration = configuration
        self.key = key
        switch location {
        case .memory:
            path = ":memory:"
            isFile = false
        case .file(let path):
            self.path = try SQLiteFile(path).path
            isFile = true
        }
        guard !key.text.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "Invalid encryption key: it contains NUL.")
        }
        if key != .none { try checkCipher() }
    }

    /// Checks that the kind of the file matches the key, before SQLite reads it.
    private func check(_ kind: SQLiteFile.Kind) throws(StoreError) {
        switch (kind, hasKey: key != .none) {
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

    /// Requires a positive sign of encryption support: plain SQLite silently ignores a key and writes plain text.
    private func checkCipher() throws(StoreError) {
        var probe = try open(":memory:", createsFile: true)
        var version: String?
        try probe.runInternal("PRAGMA cipher_version") { version = $0.text(at: 0) }
        guard version?.isEmpty == false else {
            throw StoreError(
                .encryptionUnavailable,
                "Encryption unavailable: this SQLite library cannot encrypt; set `Configuration.library` to SQLCipher.")
        }
    }

    /// - Parameter createsFile: true to create the file if it is missing.
    private func open(_ path: String, createsFile: Bool) throws(StoreError) -> SQLiteConnection {
        try SQLiteConnection(
            path: path, flags: SQLiteConstant.openReadWrite | (createsFile ? SQLiteConstant.openCreate : 0),
            busyTimeout: configuration.busyTimeout, statementCacheSize: configuration.statementCacheSize, functions)
    }

    private func open(createsFile: Bool) throws(StoreError) -> SQLiteConnection {
        guard isFile else { return try open(path, createsFile: createsFile) }
        return try OpenDatabaseFile.open(path, functions) { () throws(StoreError) in
            try open(path, createsFile: createsFile)
        }
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
        // A reader must not create the file, nor read another one that replaced it since the writer opened it.
        var connection = try open(createsFile: role == .writer)
        switch role {
        case .writer: if isFile { try check(connection.fileKind()) }
        case .reader:
            guard identity == nil || connection.openFile?.identity == identity else {
                throw StoreError(
                    .io, "Database file was replaced while the store had it open: \(path); open a new store.")
            }
        }
        if key != .none {
            let quoted = key.text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
            try connection.runInternal("PRAGMA key = '\(quoted)'") { _ in }
        }
        do throws(StoreError) {
            // The first read verifies the key and that the file is a database.
            try connection.runInternal("SELECT count(*) FROM sqlite_master") { _ in }
        } catch {
            guard key != .none, error.code == .corrupt else { throw error }
            throw StoreError(
                .wrongKey, "Wrong encryption key, or not a database: \(path); check the key.",
                engineCode: error.engineCode)
        }
        try connection.runInternal("PRAGMA trusted_schema = OFF") { _ in }
        switch role {
        case .reader: try connection.runInternal("PRAGMA query_only = ON") { _ in }
        case .writer:
            // Before setting the journal mode, which writes to the file.
            if configuration.verifiesIntegrityOnOpen, let problem = try connection.integrityProblems().first {
                throw StoreError(.corrupt, "Database is corrupt: \(path): \(problem); restore a backup.")
            }
            var mode: String?
            if isFile { try connection.runInternal("PRAGMA journal_mode = WAL") { mode = $0.text(at: 0) } }
            connection.usesWAL = mode == "wal"
            let isFull = configuration.durability == .full || Self.needsFullSync(journalMode: mode)
            try connection.runInternal("PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")") { _ in }
            // On Apple platforms a plain fsync lets the drive reorder writes; elsewhere this has no effect.
            if isFull { try connection.runInternal("PRAGMA fullfsync = ON") { _ in } }
        }
        return connection
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

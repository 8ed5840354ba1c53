import Foundation
import SystemLibraries

/// Opens the connections of a store, all in the same way.
struct SQLiteOpening: Sendable {
    enum Role { case writer, reader }

    let path: String
    let isFile: Bool
    let key: StoreKey
    let configuration: SQLiteStore.Configuration
    let functions: SQLiteFunctions
    /// The file that the writer opened; nil before.
    var identity: OpenDatabaseFile.Identity?

    /// Looks at the key before anything is opened, so that no file is made that should not be.
    /// - Throws: `StoreError`.
    init(
        _ location: SQLiteStore.Location, key: StoreKey, _ configuration: SQLiteStore.Configuration
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
        guard !key.text.utf8.contains(0) else { throw StoreError(.invalidArgument, "The key holds NUL.") }
        if key != .none { try checkCipher() }
    }

    /// Compares what the file is with the key, before SQLite reads it.
    private func check(_ kind: SQLiteFile.Kind) throws(StoreError) {
        switch (kind, hasKey: key != .none) {
        case (.none, _), (.plain, hasKey: false), (.encrypted, hasKey: true): return
        case (.plain, hasKey: true):
            throw StoreError(.wrongKey, "The file \(path) is not encrypted; open it without a key.")
        case (.encrypted, hasKey: false):
            throw StoreError(.keyRequired, "The file \(path) is encrypted, or not a database; give its key.")
        case (.other, _):
            throw StoreError(
                .corrupt, "The file \(path) is not a database; give the store another path, or move the file away.")
        }
    }

    /// Plain SQLite takes a key, says nothing, and writes in plain text. So something has to say that it encrypts.
    private func checkCipher() throws(StoreError) {
        var probe = try open(":memory:", makesFile: true)
        var version: String?
        try probe.ask("PRAGMA cipher_version") { version = $0.text(at: 0) }
        guard version?.isEmpty == false else {
            throw StoreError(
                .encryptionUnavailable, "A key was given, and this SQLite cannot encrypt; give it an SQLCipher.")
        }
    }

    /// - Parameter makesFile: true to make the file when it is not there.
    private func open(_ path: String, makesFile: Bool) throws(StoreError) -> SQLiteConnection {
        try SQLiteConnection(
            path: path, flags: SQLiteConstant.openReadWrite | (makesFile ? SQLiteConstant.openCreate : 0),
            busyTimeout: configuration.busyTimeout, statementCapacity: configuration.statementCapacity, functions)
    }

    private func open(makesFile: Bool) throws(StoreError) -> SQLiteConnection {
        guard isFile else { return try open(path, makesFile: makesFile) }
        return try OpenDatabaseFile.open(path, functions) { () throws(StoreError) in
            try open(path, makesFile: makesFile)
        }
    }

    /// Moves a damaged file aside.
    /// - Returns: its new path.
    func quarantine() throws(StoreError) -> String {
        try SQLiteFile(path).quarantine(with: open(makesFile: false))
    }

    /// True when a crash of the machine could damage a file that is not synchronized at each commit: one with any
    /// journal but the log that is written ahead (sqlite.org/pragma.html#pragma_synchronous).
    /// - Parameter journalMode: SQLite's answer when it was asked for that log; nil in memory.
    static func needsFullSync(journalMode: String?) -> Bool { journalMode.map { $0 != "wal" } ?? false }

    /// A connection that is ready.
    func connection(_ role: Role) throws(StoreError) -> SQLiteConnection {
        // A reader comes when there is a file; if it was removed since, an empty one in its place would be a lie, and so
        // would be another one.
        var connection = try open(makesFile: role == .writer)
        switch role {
        case .writer: if isFile { try check(connection.fileKind()) }
        case .reader:
            guard identity == nil || connection.openFile?.identity == identity else {
                throw StoreError(
                    .io, "The file \(path) was replaced by another one while the store had it open; open a new store.")
            }
        }
        if key != .none {
            let quoted = key.text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
            try connection.ask("PRAGMA key = '\(quoted)'") { _ in }
        }
        do throws(StoreError) {
            // The first read: it proves the key, and that this is a database.
            try connection.ask("SELECT count(*) FROM sqlite_master") { _ in }
        } catch {
            guard key != .none, error.code == .corrupt else { throw error }
            throw StoreError(.wrongKey, "The key does not open the file \(path).", engineCode: error.engineCode)
        }
        try connection.ask("PRAGMA trusted_schema = OFF") { _ in }
        switch role {
        case .reader: try connection.ask("PRAGMA query_only = ON") { _ in }
        case .writer:
            // Before the journal's mode is set, which is written into the file.
            if configuration.checksIntegrity, let problem = try connection.problems().first {
                throw StoreError(.corrupt, "The file \(path) is damaged: \(problem)")
            }
            var mode: String?
            if isFile { try connection.ask("PRAGMA journal_mode = WAL") { mode = $0.text(at: 0) } }
            connection.keepsLog = mode == "wal"
            let isFull = configuration.durability == .full || Self.needsFullSync(journalMode: mode)
            try connection.ask("PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")") { _ in }
            // Apple's systems otherwise let the drive write in any order; elsewhere it changes nothing.
            if isFull { try connection.ask("PRAGMA fullfsync = ON") { _ in } }
        }
        return connection
    }
}

extension SQLiteConnection {
    /// Runs a statement of the store's own, which is not kept: it may hold a key.
    mutating func ask(_ sql: String, each: (borrowing StoreRow) -> Void) throws(StoreError) {
        try narrowed {
            try runOnce(sql) { row in
                each(row)
                return true
            }
        }
    }

    /// What is wrong with the file, in SQLite's words; empty when it is sound.
    mutating func problems() throws(StoreError) -> [String] {
        var problems: [String] = []
        do throws(StoreError) {
            try ask("PRAGMA integrity_check") { row in problems.append(row.text(at: 0) ?? "") }
        } catch {
            // It may be too damaged to be checked.
            guard error.code == .corrupt else { throw error }
            problems.append(error.message)
        }
        return problems == ["ok"] ? [] : problems
    }
}

/// Says again that `body` throws nothing but a `StoreError`, where its callbacks have made the compiler forget.
func narrowed<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
    do { return try body() } catch let error as StoreError { throw error } catch {
        throw StoreError(.failed, "A callback failed.")
    }
}

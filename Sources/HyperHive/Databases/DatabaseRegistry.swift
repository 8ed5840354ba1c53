import Foundation
import LocalStore
import SQLiteStore
import Synchronization

/// The open local databases, one for each file.
///
/// ```
/// absent  -open->  opening -success-> open, -failure-> absent
/// open    -close-> closing -success-> absent, -failure-> open
/// ```
///
/// Calls block while a file is opened or closed; no lock is held meanwhile. Thread-safe.
final class DatabaseRegistry: Sendable {
    /// Opens a store; see ``openStore(_:_:)`` for the default.
    typealias Opener = @Sendable (DatabasePath, EncryptionKey) throws -> any LocalStore

    private enum Entry {
        case opening
        case open(HyperHiveDatabase)
        case closing(HyperHiveDatabase)
    }

    /// Absolute path of the folder that relative paths start from.
    let documents: String
    private let opener: Opener
    private let entries = Mutex<[DatabasePath: Entry]>([:])

    /// - Parameters:
    ///   - documents: absolute path of the app's documents folder; default the user's.
    ///   - opener: opens a store; default ``openStore(_:_:)``.
    init(documents: String = DatabaseRegistry.userDocuments, opener: @escaping Opener = DatabaseRegistry.openStore) {
        self.documents = documents
        self.opener = opener
    }

    /// The user's documents folder; the home folder where there is none.
    static var userDocuments: String {
        (FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
            ?? URL(filePath: NSHomeDirectory())).path
    }

    /// Opens a `SQLiteStore`. Where SQLite is missing, a `MemoryStore` whose journal is the file beside it with the
    /// extension `journal`, since another SQLite may open the file itself one day.
    /// - Throws: `StoreError`: what `SQLiteStore` throws; `encryptionUnavailable` for a key without SQLite.
    @Sendable static func openStore(_ path: DatabasePath, _ key: EncryptionKey) throws -> any LocalStore {
        guard SQLiteLibrary.system.isAvailable else {
            guard key == .none else {
                throw StoreError(
                    .encryptionUnavailable,
                    "Encryption unavailable: SQLite is missing; open the database without a key.")
            }
            switch path.location {
            case .memory: return MemoryStore()
            case .file(let file): return try MemoryStore(journal: MemoryJournalConfiguration(path: file + ".journal"))
            }
        }
        switch path.location {
        case .memory: return try SQLiteStore(.memory, key: key)
        case .file(let file): return try SQLiteStore(.file(file), key: key)
        }
    }

    /// Reads a path in one of the vendor's spellings; see ``DatabasePath``.
    ///
    /// Symbolic links in its folder are resolved, so that each file has one path.
    /// - Throws: `StoreError` (`invalidArgument`).
    func path(_ text: String) throws(StoreError) -> DatabasePath {
        let path = try DatabasePath(text, documents: documents)
        guard case .file(let file) = path.location else { return path }
        let url = URL(filePath: file, directoryHint: .notDirectory)
        let folder = url.deletingLastPathComponent().resolvingSymlinksInPath().path
        return try DatabasePath(folder + "/" + url.lastPathComponent, documents: folder)
    }

    /// Opens a database, or creates it.
    /// - Throws: `StoreError`: `misuse` when it is open already; `invalidArgument` for its path; the opener's error.
    @discardableResult
    func open(_ text: String, key: EncryptionKey = .none) throws -> HyperHiveDatabase {
        let path = try path(text)
        let isFree = entries.withLock { entries in
            guard entries[path] == nil else { return false }
            entries[path] = .opening
            return true
        }
        guard isFree else {
            throw StoreError(.misuse, "Database \(path.name) is open already; close it first.")
        }
        do {
            let database = HyperHiveDatabase(path, try opener(path, key))
            entries.withLock { $0[path] = .open(database) }
            return database
        } catch {
            entries.withLock { $0[path] = nil }
            throw error
        }
    }

    /// Returns an open database.
    /// - Throws: `StoreError`: `closed` when it is not open; `invalidArgument` for its path.
    func database(at text: String) throws(StoreError) -> HyperHiveDatabase {
        let path = try path(text)
        let entry = entries.withLock { $0[path] }
        guard case .open(let database) = entry else {
            throw StoreError(.closed, "Database \(path.name) is not open; call openBase(_:key:) first.")
        }
        return database
    }

    /// Closes a database.
    /// - Throws: `StoreError`: `closed` when it is not open; what the store's `close()` throws. It then stays open.
    func close(_ text: String) throws(StoreError) {
        let database = try database(at: text)
        let path = database.path
        let isMine = entries.withLock { entries in
            guard case .open(let current) = entries[path], current === database else { return false }
            entries[path] = .closing(database)
            return true
        }
        guard isMine else { throw StoreError(.closed, "Database \(path.name) is being closed by another call.") }
        do throws(StoreError) { try database.store.close() } catch {
            entries.withLock { $0[path] = .open(database) }
            throw error
        }
        entries.withLock { $0[path] = nil }
    }

    /// Closes all databases; those that are busy stay open.
    func closeAll() {
        let paths = entries.withLock { Array($0.keys) }
        for path in paths { try? close(path.description) }
    }
}

import Dispatch
import Foundation
import LocalStore
import SQLiteStore
import Synchronization
import SystemLibraries

/// The open local databases, one for each file.
///
/// ```
/// absent  -open->  changing -success-> open, -failure-> absent
/// open    -close-> changing -success-> absent, -failure-> open
/// ```
///
/// A call that finds `changing` waits without a lock, then continues with the new state: ``openIfNeeded(_:)`` returns the
/// database that another thread has opened, and ``open(_:key:)`` reopens a file that another thread has closed.
/// Thread-safe.
final class DatabaseRegistry: Sendable {
    /// Opens a store; see ``openStore(_:_:)`` for the default.
    typealias Opener = @Sendable (DatabasePath, EncryptionKey) throws -> any LocalStore

    private enum Entry {
        case changing(Change)
        case open(HyperHiveDatabase)
    }

    /// The opening or closing of a file by a thread, which the other threads wait for.
    private struct Change {
        private let thread = ThreadIdentity.current
        private let end = DispatchGroup()

        init() { end.enter() }

        var isOfThisThread: Bool { thread == .current }
        func wait() { end.wait() }
        func finish() { end.leave() }
    }

    private struct State {
        var entries: [DatabasePath: Entry] = [:]
        var waiterCount = 0
    }

    /// Absolute path of the folder that relative paths start from.
    let documents: String
    private let opener: Opener
    private let state = Mutex(State())

    /// - Parameters:
    ///   - documents: absolute path of the app's documents folder; default the user's.
    ///   - opener: opens a store; default ``openStore(_:_:)``.
    init(documents: String = DatabaseRegistry.userDocuments, opener: @escaping Opener = DatabaseRegistry.openStore) {
        self.documents = documents
        self.opener = opener
    }

    /// The user's documents folder; the home folder if the system has no such folder.
    static var userDocuments: String {
        (FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
            ?? URL(filePath: NSHomeDirectory())).path
    }

    /// Opens a `SQLiteStore`; where SQLite is missing, a `MemoryStore` with a journal.
    ///
    /// The journal's name ends with `.journal`, since SQLite may open the file without it later. Text may be in double
    /// quotes, as the vendor's samples have it.
    /// - Throws: `StoreError`: what `SQLiteStore` throws; `encryptionUnavailable` for a key without SQLite.
    @Sendable static func openStore(_ path: DatabasePath, _ key: EncryptionKey) throws -> any LocalStore {
        guard SQLiteLibrary.system.isAvailable else {
            guard key == .none else {
                throw StoreError(
                    .encryptionUnavailable,
                    "Encryption unavailable: SQLite is missing; open the database without a key.")
            }
            switch path.location {
            case .memory: return MemoryStore(allowsDoubleQuotedText: true)
            case .file(let file):
                return try MemoryStore(
                    journal: MemoryJournalConfiguration(path: file + ".journal"), allowsDoubleQuotedText: true)
            }
        }
        var configuration = SQLiteStore.Configuration()
        configuration.allowsDoubleQuotedText = true
        switch path.location {
        case .memory: return try SQLiteStore(.memory, key: key, configuration: configuration)
        case .file(let file): return try SQLiteStore(.file(file), key: key, configuration: configuration)
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

    /// Number of calls that wait for another one to open or close a file.
    var waiterCount: Int { state.withLock(\.waiterCount) }

    /// Opens a database, or creates it.
    /// - Throws: `StoreError`: `misuse` when it is open already; `invalidArgument` for its path; the opener's error.
    @discardableResult
    func open(_ text: String, key: EncryptionKey = .none) throws -> HyperHiveDatabase {
        let path = try path(text)
        let (database, isNew) = try open(path, key)
        guard isNew else { throw StoreError(.misuse, "Database \(path.name) is open already; close it first.") }
        return database
    }

    /// Returns an open database, or opens it without a key.
    /// - Throws: `StoreError`: `invalidArgument` for its path; the opener's error.
    func openIfNeeded(_ text: String) throws -> HyperHiveDatabase { try open(path(text), .none).database }

    private func open(_ path: DatabasePath, _ key: EncryptionKey) throws -> (database: HyperHiveDatabase, isNew: Bool) {
        let change = Change()
        defer { change.finish() }
        let current = try withSettledEntry(of: path) { entry -> HyperHiveDatabase? in
            if case .open(let database) = entry { return database }
            entry = .changing(change)
            return nil
        }
        if let current { return (current, false) }
        do {
            let database = HyperHiveDatabase(path, try opener(path, key))
            state.withLock { $0.entries[path] = .open(database) }
            return (database, true)
        } catch {
            state.withLock { $0.entries[path] = nil }
            throw error
        }
    }

    /// Returns an open database.
    /// - Throws: `StoreError`: `closed` when it is not open; `invalidArgument` for its path.
    func database(at text: String) throws(StoreError) -> HyperHiveDatabase {
        let path = try path(text)
        let database = try withSettledEntry(of: path) { entry -> HyperHiveDatabase? in
            if case .open(let database) = entry { database } else { nil }
        }
        guard let database else { throw Self.notOpen(path) }
        return database
    }

    /// Closes a database.
    /// - Throws: `StoreError`: `closed` when it is not open; what the store's `close()` throws. It then stays open.
    func close(_ text: String) throws(StoreError) {
        let path = try path(text)
        let change = Change()
        defer { change.finish() }
        let database = try withSettledEntry(of: path) { entry -> HyperHiveDatabase? in
            guard case .open(let database) = entry else { return nil }
            entry = .changing(change)
            return database
        }
        guard let database else { throw Self.notOpen(path) }
        do throws(StoreError) { try database.store.close() } catch {
            state.withLock { $0.entries[path] = .open(database) }
            throw error
        }
        state.withLock { $0.entries[path] = nil }
    }

    private static func notOpen(_ path: DatabasePath) -> StoreError {
        StoreError(.closed, "Database \(path.name) is not open; call openBase(_:key:) first.")
    }

    /// Reads or changes the entry of a path, once no other call opens or closes its file.
    /// - Parameter body: gets nil, or an open database; runs under the lock.
    /// - Throws: `StoreError` (`misuse`) when this thread opens or closes the file, and would wait for itself.
    private func withSettledEntry<Result: Sendable>(
        of path: DatabasePath, _ body: (inout Entry?) -> Result
    ) throws(StoreError) -> Result {
        while true {
            let (change, result) = state.withLock { state -> (Change?, Result?) in
                guard case .changing(let change) = state.entries[path] else { return (nil, body(&state.entries[path])) }
                if !change.isOfThisThread { state.waiterCount += 1 }
                return (change, nil)
            }
            if let result { return result }
            guard let change, !change.isOfThisThread else {
                throw StoreError(
                    .misuse, "Database \(path.name) is used while this thread opens or closes it; use it afterwards.")
            }
            change.wait()
            state.withLock { $0.waiterCount -= 1 }
        }
    }
}

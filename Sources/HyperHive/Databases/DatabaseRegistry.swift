import Coordination
import Dispatch
import SQLiteStore
import StoreCore
import Synchronization
import SystemLibraries

/// The open local databases, one for each file.
///
/// ```
/// closed -open->  changing -success-> open, -failure-> closed
/// open   -close-> draining -the last load has ended-> changing -success-> closed, -failure-> open
/// ```
///
/// A call that finds `changing` waits without a lock, then continues with the new state. A draining database can be
/// used, but no load begins. Thread-safe.
final class DatabaseRegistry: Sendable {
    /// Opens a store; see ``openStore(_:_:)`` for the default.
    typealias Opener = @Sendable (DatabasePath, EncryptionKey) throws -> any LocalStore

    private enum Entry {
        case closed(ClosedDatabase)
        case changing(Change)
        case open(OpenDatabase)
        case draining(OpenDatabase, Change)
    }

    private struct OpenDatabase {
        let database: HyperHiveDatabase
        let key: EncryptionKey
    }

    /// The opening or closing of a file by a thread, which the other threads wait for.
    private struct Change {
        private let thread = ThreadIdentity.current
        private let end = Promise<Void>()

        var isOfThisThread: Bool { thread == .current }
        func wait() { end.blockingValue() }
        func finish() { end.fulfill(()) }
    }

    private struct State {
        var entries: [[UInt8]: Entry] = [:]
        var waiterCount = 0
    }

    /// Absolute path of the folder that relative paths start from.
    let documents: String
    private let automatic: String?
    private let opener: Opener
    private let state = Mutex(State())

    /// - Parameters:
    ///   - documents: absolute path of the app's documents folder, which is created when it is missing; default the
    ///     user's.
    ///   - automatic: path of the database that is opened at its first use, without a key; default none.
    ///   - opener: opens a store; default ``openStore(_:_:)``.
    init(
        documents: String = DatabaseRegistry.userDocuments, automatic: String? = nil,
        opener: @escaping Opener = DatabaseRegistry.openStore
    ) {
        self.documents = documents
        self.automatic = automatic
        self.opener = opener
    }

    /// Number of calls that wait for another one to open or close a file.
    var waiterCount: Int { state.withLock(\.waiterCount) }

    // MARK: Open

    /// Opens a database, or creates it. One that is open with the same key is returned.
    /// - Throws: `StoreError`: `misuse` when it is open with another key; `invalidArgument` for its path; `io` when the
    ///   documents folder cannot be created; the opener's error.
    @discardableResult
    func open(_ text: String, key: EncryptionKey = .unencrypted) throws -> HyperHiveDatabase {
        // First: the symbolic links of a missing folder cannot be resolved.
        let folder = Result { () throws(StoreError) in try makeDocumentsFolder(for: text) }
        let path = try path(text)
        let change = Change()
        defer { change.finish() }
        let current = try withSettledEntry(of: path) { entry -> OpenDatabase? in
            switch entry {
            case .open(let current), .draining(let current, _): return current
            case .closed, .changing:
                entry = .changing(change)
                return nil
            }
        }
        guard let current else { return try open(path, key, folder, \.database) }
        guard current.key == key else {
            throw StoreError(.misuse, "Database \(path.name) is open with another key; close it first.")
        }
        return current.database
    }

    /// Opens a database whose entry is `changing`.
    /// - Parameter body: gets the database under the lock, before another call can close it.
    private func open<Value: Sendable>(
        _ path: DatabasePath, _ key: EncryptionKey, _ folder: Result<Void, StoreError>, _ body: (OpenDatabase) -> Value
    ) throws -> Value {
        do {
            try folder.get()
            let current = OpenDatabase(database: HyperHiveDatabase(path, try opener(path, key)), key: key)
            return state.withLock { state in
                state.entries[path.key] = .open(current)
                return body(current)
            }
        } catch {
            set(.closed(ClosedDatabase(failure: error, needsKey: key != .unencrypted)), for: path)
            throw error
        }
    }

    // MARK: Use

    /// Returns an open database; opens the automatic one.
    /// - Throws: `StoreError`: `closed` when it is not open, with the reason; `invalidArgument` for its path; the
    ///   opener's error for the automatic one.
    func database(at text: String) throws -> HyperHiveDatabase { try opened(text, usesDraining: true, \.database) }

    /// Begins a load into a database, which ``close(_:)`` waits for.
    /// - Throws: what ``database(at:)`` throws; `closed` while another call closes the database.
    func use(_ text: String) throws -> DatabaseUse {
        try opened(text, usesDraining: false) { DatabaseUse($0.database) }
    }

    /// Begins a load into a database that is open now; nil for another one. Does not wait.
    func useIfOpen(_ text: String) -> DatabaseUse? {
        guard let path = try? path(text) else { return nil }
        return state.withLock { state in
            if case .open(let current)? = state.entries[path.key] { DatabaseUse(current.database) } else { nil }
        }
    }

    /// - Parameters:
    ///   - usesDraining: false to throw `closed` for a draining database.
    ///   - body: gets the open database, under the lock.
    private func opened<Value: Sendable>(
        _ text: String, usesDraining: Bool, _ body: (OpenDatabase) -> Value
    ) throws -> Value {
        var path = try path(text)
        let isAutomatic = try automatic.map { try self.path($0).key == path.key } ?? false
        var folder = Result<Void, StoreError>.success(())
        if isAutomatic {
            folder = Result { () throws(StoreError) in try makeDocumentsFolder(for: text) }
            path = try self.path(text)
        }
        let change = Change()
        defer { change.finish() }
        // Nil when this call opens the database.
        let outcome = try withSettledEntry(of: path, usesDraining: true) { [path] entry -> Result<Value, StoreError>? in
            switch entry {
            case .draining where !usesDraining:
                return .failure(
                    StoreError(.closed, "Database \(path.name) is being closed; open it again before the load."))
            case .open(let current), .draining(let current, _): return .success(body(current))
            case .closed(let closed) where !isAutomatic || closed.needsKey: return .failure(closed.error(of: path))
            case .closed, .changing:
                entry = .changing(change)
                return nil
            }
        }
        guard let outcome else { return try open(path, .unencrypted, folder, body) }
        return try outcome.get()
    }

    // MARK: Close

    /// Closes a database, after the loads and the other calls in progress.
    /// - Throws: `StoreError`: `closed` when it is not open; `misuse` within one of its loads; what the store's
    ///   `close()` throws. It then stays open.
    func close(_ text: String) throws(StoreError) {
        let path = try path(text)
        let change = Change()
        defer { change.finish() }
        let current = try withSettledEntry(of: path) { entry -> Result<OpenDatabase, StoreError> in
            switch entry {
            case .open(let current) where !DatabaseUse.isCurrent(for: current.database):
                entry = .draining(current, change)
                return .success(current)
            case .open, .draining:
                return .failure(
                    StoreError(
                        .misuse, "Database \(path.name) cannot be closed within a load of it; close it afterwards."))
            case .closed(let closed): return .failure(closed.error(of: path))
            case .changing: return .failure(ClosedDatabase().error(of: path))
            }
        }.get()
        current.database.uses.wait()
        set(.changing(change), for: path)
        do throws(StoreError) { try current.database.store.close() } catch {
            set(.open(current), for: path)
            throw error
        }
        set(.closed(ClosedDatabase(needsKey: current.key != .unencrypted)), for: path)
    }

    // MARK: Entries

    private func set(_ entry: Entry, for path: DatabasePath) { state.withLock { $0.entries[path.key] = entry } }

    /// Reads or changes the entry of a path, once no other call opens or closes its file.
    /// - Parameters:
    ///   - usesDraining: true to continue with a draining database; a load of it does so in any case.
    ///   - body: runs under the lock; its entry is not `changing`.
    /// - Throws: `StoreError` (`misuse`) when this thread opens or closes the file, and would wait for itself.
    private func withSettledEntry<Value: Sendable>(
        of path: DatabasePath, usesDraining: Bool = false, _ body: (inout Entry) -> Value
    ) throws(StoreError) -> Value {
        while true {
            let (change, value) = state.withLock { state -> (Change?, Value?) in
                var entry = state.entries[path.key] ?? .closed(ClosedDatabase())
                let change: Change? =
                    switch entry {
                    case .changing(let change): change
                    case .draining(let current, let change):
                        usesDraining || DatabaseUse.isCurrent(for: current.database) ? nil : change
                    case .open, .closed: nil
                    }
                guard let change else {
                    let value = body(&entry)
                    state.entries[path.key] = entry
                    return (nil, value)
                }
                if !change.isOfThisThread { state.waiterCount += 1 }
                return (change, nil)
            }
            if let value { return value }
            guard let change, !change.isOfThisThread else {
                throw StoreError(
                    .misuse, "Database \(path.name) is used while this thread opens or closes it; use it afterwards.")
            }
            change.wait()
            state.withLock { $0.waiterCount -= 1 }
        }
    }
}

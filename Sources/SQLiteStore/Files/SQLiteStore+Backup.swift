import Foundation
public import StoreCore

extension SQLiteStore {
    /// Progress of a backup.
    public struct BackupProgress: Hashable, Sendable {
        /// Pages copied so far.
        public let completedPages: Int
        /// Pages of the source.
        public let totalPages: Int
    }

    /// Replaces the contents of another store by a snapshot of this one, in memory or in a file.
    ///
    /// A file is copied while other threads read and write it; a store in memory is locked for the duration. The
    /// destination is locked too, changes in one transaction, and is unchanged after an error. Its subscribers are told
    /// of all its tables. A cancelled task cancels the backup.
    /// - Parameters:
    ///   - destination: another store with the same SQLite library.
    ///   - progress: called on this thread after each MiB or so; false cancels the backup. Its last call comes after
    ///     the commit, and its result is ignored.
    /// - Throws: `StoreError`: `interrupted` when cancelled; `misuse` from within a transaction or a callback of
    ///   either store; `invalidArgument` for two stores of one file or with two libraries; `readOnly` for a read-only
    ///   destination, or one in memory or in WAL mode with another page size; `busy`, `full` or `io`.
    public func backup(
        to destination: SQLiteStore, progress: (BackupProgress) -> Bool = { _ in true }
    ) throws(StoreError) {
        try checkOutsideCalls("Backup")
        try destination.checkOutsideCalls("Backup")
        guard destination !== self, factory.identity == nil || destination.factory.identity != factory.identity else {
            throw Self.sameDatabase
        }
        defer {
            deliverTraces()
            destination.deliverTraces()
        }
        let publication = try rethrowingStoreErrors {
            // The tables that are replaced, and those that are created.
            let tables = try destination.allTables().union(allTables())
            try destination.protectedTables.check(tables)
            return try holdingWriter(with: destination) {
                try copying { source in
                    try destination.writer.use { connection in
                        try connection.replaceContents(from: source, progress)
                        return destination.subscribers.publication(of: connection.takeChanges())
                    }
                }
            }
        }
        publication?.deliver()
    }

    /// Copies a snapshot of the store to a file, which is created, or whose database is replaced.
    ///
    /// Same as the overload above. An existing file changes in one transaction. A new one is written under another
    /// name, `<path>.partial-...`, and gets its own when it is complete, with the permissions of this store's file.
    /// A `-wal`, `-shm` or `-journal` that a deleted database has left under the path is removed with that.
    /// After an error there is no new file; what a killed process leaves is removed by the next backup to the same
    /// path.
    /// - Parameters:
    ///   - path: the file; its folder must exist.
    ///   - key: the file's encryption key; default the key of this store.
    ///   - progress: see above.
    /// - Throws: `StoreError`: as above, and what opening a store throws; `io` when another call or program creates the
    ///   file meanwhile.
    public func backup(
        toFile path: String, key: EncryptionKey? = nil, progress: (BackupProgress) -> Bool = { _ in true }
    ) throws(StoreError) {
        try checkOutsideCalls("Backup")
        let file = try SQLiteFile(path)
        let key = key ?? factory.key
        guard !file.exists else { return try replace(file, key, progress) }
        file.removeAbandonedParts()
        let part = try SQLiteFile(file.newPartPath())
        guard try part.create(mode: newFileMode) else {
            throw StoreError(.io, "File exists: \(part.path); remove it, and retry.")
        }
        do throws(StoreError) {
            try replace(part, key, progress)
            try part.rename(to: file)
        } catch {
            part.remove()
            throw error
        }
    }

    /// Replaces the database of a file in one transaction.
    private func replace(
        _ file: SQLiteFile, _ key: EncryptionKey, _ progress: (BackupProgress) -> Bool
    ) throws(StoreError) {
        var configuration = Configuration()
        configuration.library = factory.configuration.library
        configuration.busyTimeout = factory.configuration.busyTimeout
        let target = try SQLiteConnectionFactory(.file(file.path), key: key, configuration)
        try rethrowingStoreErrors {
            var connection = try target.makeConnection(.backup)
            guard connection.openFile == nil || connection.openFile?.identity != factory.identity else {
                throw Self.sameDatabase
            }
            try copying { source in try connection.replaceContents(from: source, progress) }
        }
    }

    /// The permissions of files with this store's data: those of its own file.
    var newFileMode: UInt16 {
        let attributes = factory.isFile ? try? FileManager.default.attributesOfItem(atPath: factory.path) : nil
        return (attributes?[.posixPermissions] as? NSNumber)?.uint16Value ?? 0o644
    }

    private static let sameDatabase = StoreError(
        .invalidArgument, "Backup of a database onto itself; choose another destination.")

    /// Passes a connection in a read transaction, so that the copied state does not change.
    private func copying<Result>(_ body: (borrowing SQLiteConnection) throws -> Result) throws -> Result {
        try reading { source in
            try source.atomically(readOnly: true) { source in
                try source.takeSnapshot()
                return try body(source)
            }
        }
    }

    /// Runs `body`, which needs the writers of both stores if this one has no readers.
    ///
    /// They are acquired in an order that does not depend on the direction, so opposite backups cannot deadlock.
    private func holdingWriter<Result>(with other: SQLiteStore, _ body: () throws -> Result) throws -> Result {
        guard readers == nil else { return try body() }
        let isFirst = ObjectIdentifier(self) < ObjectIdentifier(other)
        let (first, second) = isFirst ? (self, other) : (other, self)
        return try first.writer.hold { try second.writer.hold(body) }
    }

    private func allTables() throws(StoreError) -> Set<SQLIdentifier> {
        try rethrowingStoreErrors { try reading { try $0.tableIdentifiers() } }
    }

    /// - Throws: `StoreError` (`misuse`) from within a transaction or a read of this store.
    func checkOutsideCalls(_ action: String) throws(StoreError) {
        guard !writer.isHeldByCurrentThread, readers?.isReadingOnCurrentThread != true else {
            throw StoreError(
                .misuse, "\(action) from within a transaction or a callback of the store; start it afterwards.")
        }
    }
}

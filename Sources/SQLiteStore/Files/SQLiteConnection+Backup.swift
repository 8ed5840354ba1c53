import StoreCore
import SystemLibraries

extension SQLiteConnection {
    /// Pages copied between two calls of the progress callback.
    private static var pagesPerStep: CInt { 256 }

    /// Replaces the contents of this database by those of another one, in one transaction.
    /// - Parameters:
    ///   - source: another database, in a read transaction.
    ///   - progress: false cancels.
    mutating func replaceContents(
        from source: borrowing SQLiteConnection, _ progress: (SQLiteStore.BackupProgress) -> Bool
    ) throws {
        let before = try tableIdentifiers()
        try copyPages(from: source, progress)
        discardStatements()
        recordChange(of: before.union(try tableIdentifiers()))
    }

    private func copyPages(
        from source: borrowing SQLiteConnection, _ progress: (SQLiteStore.BackupProgress) -> Bool
    ) throws(StoreError) {
        guard let backup = functions.backup else {
            throw StoreError(.libraryMissing, "This SQLite library has no `sqlite3_backup_init`; use another one.")
        }
        // One library must not be given the handles of another.
        guard unsafeBitCast(functions.open, to: UInt.self) == unsafeBitCast(source.functions.open, to: UInt.self) else {
            throw StoreError(
                .invalidArgument, "Backup between two SQLite libraries; open both stores with the same library.")
        }
        guard let run = backup.begin(database, "main", source.database, "main") else {
            throw StoreError(
                .failed,
                "Cannot begin the backup: encrypt both databases or neither, and finish the destination's calls.")
        }
        // Interrupting either store ends the backup.
        let isReading = source.interrupter.begin(isReadOnly: true)
        let isWriting = interrupter.begin(isReadOnly: false)
        defer {
            if isReading { source.interrupter.end() }
            if isWriting { interrupter.end() }
        }
        let outcome = Result { () throws(StoreError) in try copyPages(run, backup, source, progress) }
        // Rolls the destination back unless all pages were copied.
        let code = backup.finish(run)
        let total = try outcome.get()
        guard code == SQLiteConstant.ok else { throw copyFailure(code, source) }
        _ = progress(SQLiteStore.BackupProgress(completedPages: total, totalPages: total))
    }

    /// - Returns: the number of pages of the source.
    private func copyPages(
        _ run: OpaquePointer, _ backup: SQLiteBackupFunctions, _ source: borrowing SQLiteConnection,
        _ progress: (SQLiteStore.BackupProgress) -> Bool
    ) throws(StoreError) -> Int {
        while true {
            guard !source.interrupter.mustEnd(), !interrupter.mustEnd() else { throw Self.cancelled }
            let code = backup.step(run, Self.pagesPerStep)
            let total = Int(backup.totalPages(run))
            if code == SQLiteConstant.done { return total }
            guard code == SQLiteConstant.ok else { throw copyFailure(code, source) }
            let completed = total - Int(backup.remainingPages(run))
            guard progress(SQLiteStore.BackupProgress(completedPages: completed, totalPages: total)) else {
                throw Self.cancelled
            }
        }
    }

    private static let cancelled = StoreError(
        .interrupted, "Backup cancelled; the destination is unchanged.")

    /// The error of a step, named after the file that it is about.
    private func copyFailure(_ code: CInt, _ source: borrowing SQLiteConnection) -> StoreError {
        switch code & 0xFF {
        case SQLiteConstant.busy where interrupter.wait.takeEnded(): Self.cancelled
        case SQLiteConstant.corrupt, SQLiteConstant.notADatabase:
            SQLiteFailure.opening(source.fileName ?? ":memory:", code, source.database, functions)
        case SQLiteConstant.readOnly where fileName == nil:
            // SQLite cannot change the page size of a database in memory.
            StoreError(
                .readOnly, "Destination in memory has another page size than the source; use a new store.",
                engineCode: code)
        default: SQLiteFailure.opening(fileName ?? ":memory:", code, database, functions)
        }
    }
}

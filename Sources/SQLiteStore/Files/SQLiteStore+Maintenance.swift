import Dispatch
import Foundation
public import StoreCore
import SystemLibraries

extension SQLiteStore {
    /// What a checkpoint waits for (sqlite.org/c3ref/wal_checkpoint_v2.html).
    @nonexhaustive public enum CheckpointMode: String, Hashable, Sendable {
        /// Nothing: it copies what no reader needs.
        case passive = "PASSIVE"
        /// Writers, and readers of an older snapshot; it copies the whole log.
        case full = "FULL"
        /// Also for readers of the log, so that the next commit overwrites the log from its start.
        case restart = "RESTART"
        /// As ``restart``, then empties the log file.
        case truncate = "TRUNCATE"
    }

    /// Result of a checkpoint.
    public struct CheckpointResult: Hashable, Sendable {
        /// Pages in the log.
        public let logPages: Int
        /// Pages of the log that have been copied to the file.
        public let copiedPages: Int
    }

    /// Copies the write-ahead log to the file. The store does so by itself; see ``Configuration/checkpointPages``.
    /// - Returns: the state of the log; no pages without a log, as in memory, and for `passive` also while another
    ///   store or program copies the log.
    /// - Throws: `StoreError`: `busy` when a mode other than `passive` times out waiting; `interrupted`; `misuse`
    ///   from within a transaction; `readOnly`, `full` or `io`.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws(StoreError) -> CheckpointResult {
        try checkpoint(mode, waitingAtMost: .never)
    }

    private func checkpoint(
        _ mode: CheckpointMode, waitingAtMost limit: DispatchTimeInterval
    ) throws(StoreError) -> CheckpointResult {
        try checkOutsideTransaction("Checkpoint")
        return try rethrowingStoreErrors {
            try write { connection in
                let wait = connection.interrupter.wait
                // SQLite refuses a second checkpoint at the same time.
                return try factory.pausingCopies { try wait.limiting(to: limit) { try connection.checkpoint(mode) } }
            }
        }
    }

    /// Rebuilds the file without its unused pages, and empties the log: no bytes of deleted rows are left in them.
    ///
    /// It needs up to twice the size of the file, and changes the rowids of tables without an `INTEGER PRIMARY KEY`.
    /// To empty the log, it waits for reads, also of another store or program: a second, or the busy timeout if that is
    /// shorter. Writers wait meanwhile. A longer read, such as that of a stream in whose loop it is called, one of this
    /// thread, which it does not wait for, or a cancelled task keeps such bytes, which is no error: the next
    /// ``checkpoint(_:)`` with ``CheckpointMode/truncate``, after that read, removes them.
    /// - Throws: `StoreError`: `misuse` from within a transaction; `interrupted`; `busy`, `readOnly`, `full` or `io`.
    public func vacuum() throws(StoreError) {
        try checkOutsideTransaction("Vacuum")
        try execute("VACUUM", [])
        // A read of this thread cannot end while truncating waits for it, nor can a stream in whose loop this runs.
        let mode: CheckpointMode = readers?.isReadingOnCurrentThread == true ? .passive : .truncate
        do throws(StoreError) { _ = try checkpoint(mode, waitingAtMost: .seconds(1)) } catch {
            guard error.code == .busy || error.code == .interrupted else { throw error }
        }
    }

    /// Writes a compact copy of the store to a new file.
    ///
    /// Other threads may use a store in a file meanwhile. The copy is smaller than a ``backup(toFile:key:progress:)``,
    /// but takes longer, and shows no progress.
    /// - Parameter path: a file that does not exist, in an existing folder. It gets the permissions of this store's
    ///   file.
    /// - Throws: `StoreError`: `invalidArgument` when the file exists; `misuse` from within a transaction or a
    ///   callback; `unsupportedSQL` before SQLite 3.27; `full` or `io`, in which case the new file was removed.
    public func vacuum(into path: String) throws(StoreError) {
        try checkOutsideCalls("Vacuum")
        guard factory.functions.versionNumber() >= 3_027_000 else {
            throw StoreError(
                .unsupportedSQL, "This SQLite library cannot vacuum into a file; use 3.27 or later, or a backup.",
                feature: "VACUUM INTO")
        }
        let file = try SQLiteFile(path)
        // Claims the name; SQLite accepts an empty file.
        guard try file.create(mode: newFileMode) else {
            throw StoreError(.invalidArgument, "File exists: \(file.path); choose another path, or remove the file.")
        }
        do throws(StoreError) {
            try rethrowingStoreErrors { try reading { try $0.vacuum(into: file.path) } }
        } catch {
            file.remove()
            throw error
        }
    }

    /// Refreshes the statistics with which SQLite plans queries (`PRAGMA optimize`).
    ///
    /// Call it now and then, for example before closing the store. It takes little time when little has changed.
    /// - Throws: `StoreError`: `busy`, `readOnly`, `full` or `io`.
    public func optimize() throws(StoreError) {
        try rethrowingStoreErrors { try write { try $0.runInternal("PRAGMA optimize") { _ in } } }
    }

    private func checkOutsideTransaction(_ action: String) throws(StoreError) {
        guard !writer.isHeldByCurrentThread else {
            throw StoreError(.misuse, "\(action) from within a transaction of the store; start it afterwards.")
        }
    }
}

extension SQLiteConnection {
    /// - Throws: `StoreError`, `busy` for a mode other than `passive`.
    mutating func checkpoint(
        _ mode: SQLiteStore.CheckpointMode
    ) throws(StoreError) -> SQLiteStore.CheckpointResult {
        var (isBusy, logPages, copiedPages): (Bool, Int64, Int64)
        var attempts: CInt = 0
        repeat {
            (isBusy, logPages, copiedPages) = (false, 0, 0)
            try runInternal("PRAGMA wal_checkpoint(\(mode.rawValue))") { row in
                (isBusy, logPages, copiedPages) = (row.int64(at: 0) == 1, row.int64(at: 1) ?? 0, row.int64(at: 2) ?? 0)
            }
            attempts += 1
            // SQLite does not wait for another connection that copies the log; it has no pages to tell then.
        } while isBusy && logPages < 0 && mode != .passive && interrupter.waitBetweenStatements(attempts - 1)
        // SQLite reports a wait that was interrupted as busy.
        if isBusy, interrupter.wait.takeEnded() { throw .interrupted }
        guard !isBusy || mode == .passive else {
            throw StoreError(
                .busy, "Checkpoint timed out waiting for a read or a write; retry later, or raise `busyTimeout`.")
        }
        return .init(logPages: max(Int(logPages), 0), copiedPages: max(Int(copiedPages), 0))
    }

    /// Writes a compact copy to a new file.
    fileprivate mutating func vacuum(into path: String) throws {
        // A reader may write nothing else, not even another file.
        var isReader = false
        try runInternal("PRAGMA query_only") { isReader = $0.int64(at: 0) == 1 }
        if isReader { try runInternal("PRAGMA query_only = OFF") { _ in } }
        let outcome = Result {
            try allowingAttachments { try $0.run($0.compile(SQLText("VACUUM INTO ?")), [.text(path)]) }
        }
        if isReader { try runInternal("PRAGMA query_only = ON") { _ in } }
        _ = try outcome.get()
    }

    /// Runs `body`, in which SQLite may attach a file.
    private mutating func allowingAttachments<Result>(
        _ body: (inout SQLiteConnection) throws -> Result
    ) rethrows -> Result {
        compiler.authorizer.allowAttachments(true)
        defer { compiler.authorizer.allowAttachments(false) }
        return try body(&self)
    }
}

import Foundation
import StoreCore

/// Redo log of a ``MemoryStore``: a transaction is committed once its records are in the file.
struct MemoryJournal {
    private let configuration: MemoryJournalConfiguration
    /// The absolute path; the process may change its working directory.
    private let path: String
    private let disk: JournalDisk
    private let lock: JournalLock
    private var file: JournalFile
    /// Salt of the frames in ``file``.
    private var salt: UInt32
    /// Number of committed bytes.
    private var size: Int
    /// Number of committed bytes after the last rewrite.
    private var baseSize: Int
    /// Number of the next transaction.
    private var transaction: UInt32
    /// True when bytes of a failed commit may follow the committed ones.
    private var hasUncommittedBytes = false
    /// True when the file's name has been flushed to the disk.
    private var isNamed = false
    /// Result of the replay at opening.
    let replay: JournalReplay

    /// Opens or creates a journal, replays it into a database, and truncates uncommitted bytes.
    static func open(
        _ configuration: MemoryJournalConfiguration, disk: JournalDisk, into database: inout MemoryDatabase
    ) throws(StoreError) -> MemoryJournal {
        guard !configuration.path.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "The path of the journal contains NUL.")
        }
        // Links are resolved: a rewrite replaces the file and not the link, and all names of a file need the same lock.
        let path = URL(filePath: configuration.path).resolvingSymlinksInPath().path
        let lock = try JournalLock(journal: path)
        let file = try JournalFile(path: path, disk: disk)
        try file.lock()
        let content = try file.content()
        var replay: JournalReplay
        if JournalHeader.isUnfinished(content) {
            let header = JournalHeader(isRewritten: false)
            try file.write(header.bytes, at: 0)
            replay = JournalReplay(header)
        } else {
            replay = try content.withUnsafeBytes { bytes in
                Result { () throws(StoreError) in try database.replay(bytes) }
            }.get()
            if replay.fileSize > replay.size {
                let end = Array(content[replay.size...])
                replay.discardedFile = try keep(
                    end, of: path, disk, file, isRequired: replay.mayHaveLostCommits || replay.version == .first)
                try file.truncate(to: replay.size)
            }
        }
        replay.foundUnfinishedRewrite = JournalFile.remove(path + Self.newSuffix)
        var journal = MemoryJournal(
            configuration: configuration, path: path, disk: disk, lock: lock, file: file, salt: replay.salt,
            size: replay.size, baseSize: replay.baseSize, transaction: replay.transaction, replay: replay)
        if replay.version != .current { try journal.rewrite(database) }
        return journal
    }

    private static let newSuffix = ".new"
    private static let discardedSuffix = ".discarded"

    /// Copies the incomplete end of a journal to a file beside it, which replaces an earlier one.
    /// - Parameter isRequired: false to do without the copy, as when the disk is full.
    /// - Returns: the path of the copy; nil if there is none.
    private static func keep(
        _ bytes: [UInt8], of path: String, _ disk: JournalDisk, _ journal: JournalFile, isRequired: Bool
    ) throws(StoreError) -> String? {
        let other = path + discardedSuffix
        JournalFile.remove(other)
        do throws(StoreError) {
            let file = try JournalFile(path: other, disk: disk, permissionsOf: journal)
            try file.write(bytes, at: 0)
            if isRequired { try file.synchronize() }
            return other
        } catch {
            JournalFile.remove(other)
            if isRequired { throw error }
            return nil
        }
    }

    // MARK: Writing

    /// Writes the changes of the current transaction; it is committed when this returns, and not when it throws.
    mutating func write(_ database: MemoryDatabase) throws(StoreError) {
        try truncateUncommittedBytes()
        var writer = JournalWriter(file, at: size, transaction: transaction, salt: salt, configuration)
        do throws(StoreError) {
            hasUncommittedBytes = true
            try writer.writeChanges(of: database)
            if configuration.isSynchronous {
                try file.synchronize()
                try synchronizeName()
            }
            // Before the commit is acknowledged.
            try file.checkName(path)
            hasUncommittedBytes = false
        } catch {
            try? truncateUncommittedBytes()
            throw error
        }
        size += writer.count
        transaction &+= 1
    }

    /// Truncates the bytes of a failed commit.
    ///
    /// This happens before the next write: later records would be lost behind them, or the failed commit become valid.
    private mutating func truncateUncommittedBytes() throws(StoreError) {
        guard hasUncommittedBytes else { return }
        try file.truncate(to: size)
        if configuration.isSynchronous { try file.synchronize() }
        hasUncommittedBytes = false
    }

    /// Replaces the journal by a snapshot of the state if that makes it much shorter.
    mutating func rewriteIfWorthwhile(_ database: MemoryDatabase) throws(StoreError) {
        guard size > configuration.rotationSize, size > baseSize * 2 else { return }
        try rewrite(database)
    }

    /// Replaces the journal by a snapshot of the state, in the current version of the format.
    private mutating func rewrite(_ database: MemoryDatabase) throws(StoreError) {
        // Not over another store's file.
        try file.checkName(path)
        let newPath = path + Self.newSuffix
        JournalFile.remove(newPath)
        do throws(StoreError) {
            let fresh = try JournalFile(path: newPath, disk: disk, permissionsOf: file)
            try fresh.lock()
            let header = JournalHeader(isRewritten: true)
            try fresh.write(header.bytes, at: 0)
            var writer = JournalWriter(
                fresh, at: JournalHeader.size, transaction: 1, salt: header.salt, configuration)
            try writer.writeAll(of: database)
            // The new file must be complete on the disk before it gets the name of the journal.
            try fresh.synchronize()
            try JournalFile.rename(newPath, to: path, disk: disk)
            file = fresh
            salt = header.salt
            size = JournalHeader.size + writer.count
            baseSize = size
            transaction = 2
            isNamed = false
        } catch {
            JournalFile.remove(newPath)
            // Delays the next attempt, in case the disk is full.
            baseSize = size
            throw error
        }
        try synchronizeName()
    }

    /// Flushes the name of a rewritten file: after a power failure the old file could reappear without later commits.
    private mutating func synchronizeName() throws(StoreError) {
        guard !isNamed else { return }
        try JournalFile.synchronizeFolder(of: path, disk: disk)
        isNamed = true
    }

    /// Flushes the journal to the disk. The last reference closes it and releases its lock.
    mutating func finish() throws(StoreError) {
        try truncateUncommittedBytes()
        try file.synchronize()
        try file.checkName(path)
    }
}

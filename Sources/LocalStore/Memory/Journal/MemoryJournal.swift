import Foundation

/// The file in which a ``MemoryStore`` writes down each transaction before it counts.
struct MemoryJournal {
    private let configuration: MemoryJournalConfiguration
    /// Where the file is, also after the process has changed its folder.
    private let path: String
    private let disk: JournalDisk
    private let lock: JournalLock
    private var file: JournalFile
    /// What the frames of ``file`` are known by.
    private var salt: UInt32
    /// How many bytes are committed.
    private var size: Int
    /// How many there were after the journal was last rewritten.
    private var baseSize: Int
    /// The number of the next transaction.
    private var transaction: UInt32
    /// True when there may be something behind what is committed that has to go before more is written.
    private var hasRemains = false
    /// True when the disk is known to have the file's name.
    private var isNamed = false
    /// What was found when it was opened.
    let replay: JournalReplay

    /// Opens a journal, or makes one, and brings a database to the state that it tells. What was not committed is cut
    /// off.
    static func open(
        _ configuration: MemoryJournalConfiguration, disk: JournalDisk, into database: inout MemoryDatabase
    ) throws(StoreError) -> MemoryJournal {
        guard !configuration.path.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "The path of the journal contains NUL.")
        }
        // Rewriting is to replace the file and not a link to it, and two names of one file need the same lock.
        let path = URL(filePath: configuration.path).resolvingSymlinksInPath().path
        let lock = try JournalLock(journal: path)
        let file = try JournalFile(path: path, disk: disk)
        let content = try file.content()
        var replay: JournalReplay
        if JournalHeader.isUnfinished(content) {
            let head = JournalHeader(isRewritten: false)
            try file.write(head.bytes, at: 0)
            replay = JournalReplay(salt: head.salt)
        } else {
            replay = try content.withUnsafeBytes { bytes in
                Result { () throws(StoreError) in try database.replay(bytes) }
            }.get()
            if replay.fileSize > replay.size { try file.truncate(to: replay.size) }
        }
        replay.foundUnfinishedRewrite = JournalFile.remove(path + Self.newSuffix)
        return MemoryJournal(
            configuration: configuration, path: path, disk: disk, lock: lock, file: file, salt: replay.salt,
            size: replay.size, baseSize: replay.baseSize, transaction: replay.transaction, replay: replay)
    }

    private static let newSuffix = ".new"

    // MARK: Writing

    /// Writes what the transaction under way changed; it is committed when this returns, and not when it throws.
    mutating func write(_ database: MemoryDatabase) throws(StoreError) {
        try removeRemains()
        var writer = JournalWriter(file, at: size, transaction: transaction, salt: salt, configuration)
        do throws(StoreError) {
            hasRemains = true
            try writer.writeChanges(of: database)
            if configuration.isSynchronous {
                try file.synchronize()
                try synchronizeName()
            }
            hasRemains = false
        } catch {
            try? removeRemains()
            throw error
        }
        size += writer.count
        transaction &+= 1
    }

    /// Cuts off what a commit that failed has left. Nothing is written before that is done: what came behind would be
    /// lost, and what failed might count after all.
    private mutating func removeRemains() throws(StoreError) {
        guard hasRemains else { return }
        try file.truncate(to: size)
        if configuration.isSynchronous { try file.synchronize() }
        hasRemains = false
    }

    /// Writes the journal anew, with the state instead of the way to it, when that makes it much shorter.
    mutating func rewriteIfWorthwhile(_ database: MemoryDatabase) throws(StoreError) {
        guard size > configuration.rotationSize, size > baseSize * 2 else { return }
        let newPath = path + Self.newSuffix
        JournalFile.remove(newPath)
        do throws(StoreError) {
            let fresh = try JournalFile(path: newPath, disk: disk)
            let head = JournalHeader(isRewritten: true)
            try fresh.write(head.bytes, at: 0)
            var writer = JournalWriter(
                fresh, at: JournalHeader.size, transaction: 1, salt: head.salt, configuration)
            try writer.writeAll(of: database)
            // The new file has to be whole before its name says that it is the journal.
            try fresh.synchronize()
            try JournalFile.rename(newPath, to: path, disk: disk)
            file = fresh
            salt = head.salt
            size = JournalHeader.size + writer.count
            baseSize = size
            transaction = 2
            isNamed = false
        } catch {
            JournalFile.remove(newPath)
            // Not again at once, if the disk is full.
            baseSize = size
            throw error
        }
        try synchronizeName()
    }

    /// Until the disk knows the name, it may give back the file that had it before, without what came since.
    private mutating func synchronizeName() throws(StoreError) {
        guard !isNamed else { return }
        try JournalFile.synchronizeFolder(of: path, disk: disk)
        isNamed = true
    }

    /// Waits until the disk has all of the journal. It is closed, and free for another store, when it is let go.
    mutating func finish() throws(StoreError) {
        try removeRemains()
        try file.synchronize()
    }
}

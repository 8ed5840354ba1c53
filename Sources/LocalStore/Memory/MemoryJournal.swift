import Foundation

/// The file in which a ``MemoryStore`` writes down each transaction before it counts.
struct MemoryJournal {
    private let configuration: MemoryJournalConfiguration
    private var file: JournalFile
    /// How many bytes are committed.
    private var size: Int
    /// How many there were after the journal was written anew.
    private var baseSize: Int

    /// Opens a journal, or makes one, and brings a database to the state that it tells. What was not committed is cut
    /// off.
    static func open(
        _ configuration: MemoryJournalConfiguration, into database: inout MemoryDatabase
    ) throws(StoreError) -> MemoryJournal {
        let file = try JournalFile(path: configuration.path)
        let content = try JournalFile.content(of: configuration.path)
        var size = 0
        if content.count < JournalFrame.head.count {
            // Nothing, or a head that was not finished, so nothing was ever committed.
            guard JournalFrame.head.starts(with: content) else { throw Self.noJournal }
            try file.truncate(to: 0)
            try file.append(JournalFrame.head)
            try file.synchronize()
            try JournalFile.synchronizeFolder(of: configuration.path)
            size = JournalFrame.head.count
        } else {
            size = try content.withUnsafeBytes { bytes in
                Result { () throws(StoreError) in try database.replay(bytes) }
            }.get()
            try file.truncate(to: size)
        }
        return MemoryJournal(configuration: configuration, file: file, size: size, baseSize: size)
    }

    static let noJournal = StoreError(.corrupt, "The file is not the journal of a store in memory.")

    // MARK: Writing

    /// Writes what the transaction under way changed; it is committed when this returns.
    mutating func write(_ database: MemoryDatabase) throws(StoreError) {
        do throws(StoreError) {
            var writer = JournalWriter(file)
            try writer.writeChanges(of: database)
            if configuration.isSynchronous { try file.synchronize() }
            size += writer.count
        } catch {
            try file.truncate(to: size)
            throw error
        }
    }

    /// Writes the journal anew, with the state instead of the way to it, when that makes it much shorter.
    mutating func rotateIfWorthwhile(_ database: MemoryDatabase) throws(StoreError) {
        guard size > configuration.rotationSize, size > baseSize * 2 else { return }
        let path = configuration.path + ".new"
        JournalFile.remove(path)
        let fresh = try JournalFile(path: path)
        do throws(StoreError) {
            try fresh.append(JournalFrame.head)
            var writer = JournalWriter(fresh)
            try writer.writeAll(of: database)
            // The new file has to be whole before its name says that it is the journal.
            try fresh.synchronize()
            try JournalFile.rename(path, to: configuration.path)
            size = JournalFrame.head.count + writer.count
            baseSize = size
            file = fresh
        } catch {
            JournalFile.remove(path)
            // Not again at once, if the disk is full.
            baseSize = size
            throw error
        }
        try JournalFile.synchronizeFolder(of: configuration.path)
    }

    func close() throws(StoreError) {
        try file.synchronize()
        try file.close()
    }
}

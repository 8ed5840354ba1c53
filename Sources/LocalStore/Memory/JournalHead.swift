/// The first bytes of a journal: what names it, a random salt, and their checksum.
///
/// The salt is part of each frame's checksum. It tells the journal's own frames from those that lie in a blob because
/// somewhere a journal is kept as a value.
struct JournalHead {
    static let size = 16
    private static let name = Array("PBMEMJ3A".utf8)
    private static let rewrittenName = Array("PBMEMJ3R".utf8)

    /// True when the first transaction is the whole state. It was finished before the file had the journal's name.
    let isRewritten: Bool
    let salt: UInt32

    /// A head for a new journal.
    init(isRewritten: Bool) {
        self.isRewritten = isRewritten
        salt = .random(in: .min ... .max)
    }

    /// Reads a head.
    /// - Throws: `StoreError` (`corrupt`) when there is none.
    init(_ journal: UnsafeRawBufferPointer) throws(StoreError) {
        let name = Array(journal.prefix(Self.name.count))
        guard name == Self.name || name == Self.rewrittenName else { throw Self.none }
        var reader = JournalReader(UnsafeRawBufferPointer(rebasing: journal[Self.name.count...]))
        guard let salt: UInt32 = reader.number(), let checksum: UInt32 = reader.number(),
            checksum == CRC32.checksum(UnsafeRawBufferPointer(rebasing: journal[..<(Self.size - 4)]))
        else { throw MemoryDatabase.corruptJournal }
        isRewritten = name == Self.rewrittenName
        self.salt = salt
    }

    var bytes: [UInt8] {
        var bytes = isRewritten ? Self.rewrittenName : Self.name
        JournalRecord.append(salt, to: &bytes)
        JournalRecord.append(bytes.withUnsafeBytes { CRC32.checksum($0) }, to: &bytes)
        return bytes
    }

    /// True for a file in which nothing was ever committed: it is empty, or its head was not written to the end.
    static func isUnfinished(_ journal: [UInt8]) -> Bool {
        journal.count < size && name.starts(with: journal.prefix(name.count))
    }

    static let none = StoreError(.corrupt, "The file is not the journal of a MemoryStore, or of another version of it.")
}

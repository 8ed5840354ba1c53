import StoreCore

/// File header of a journal: 8 bytes magic, 4 bytes random salt, 4 bytes CRC-32.
///
/// The salt is part of each frame's checksum, so that frames inside a stored blob (a journal kept as a value) are not
/// mistaken for the journal's own.
struct JournalHeader {
    static let size = 16
    private static let name = Array("PBMEMJ3A".utf8)
    private static let rewrittenName = Array("PBMEMJ3R".utf8)

    /// True when the first transaction is a complete state, which was written before the file was renamed to its name.
    let isRewritten: Bool
    let salt: UInt32

    /// Creates the header of a new journal.
    init(isRewritten: Bool) {
        self.isRewritten = isRewritten
        salt = .random(in: .min ... .max)
    }

    /// Reads a header.
    /// - Throws: `StoreError` (`corrupt`) when the magic or the checksum is wrong.
    init(_ journal: UnsafeRawBufferPointer) throws(StoreError) {
        let name = Array(journal.prefix(Self.name.count))
        guard name == Self.name || name == Self.rewrittenName else { throw Self.none }
        var reader = JournalDecoder(UnsafeRawBufferPointer(rebasing: journal[Self.name.count...]))
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

    /// True for a file without any commit: it is empty, or its header is incomplete.
    static func isUnfinished(_ journal: [UInt8]) -> Bool {
        journal.count < size && name.starts(with: journal.prefix(name.count))
    }

    static let none = StoreError(
        .corrupt, "File is not a MemoryStore journal, or was written by another version; check the path.")
}

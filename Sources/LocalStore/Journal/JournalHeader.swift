import StoreCore

/// File header of a journal: 8 bytes magic, 4 bytes random salt, 4 bytes CRC-32.
///
/// The salt is part of each frame's checksum, so that frames inside a stored blob (a journal kept as a value) are not
/// mistaken for the journal's own.
struct JournalHeader {
    static let size = 16

    let version: JournalVersion
    /// True when the first transaction is a complete state, which was written before the file was renamed to its name.
    let isRewritten: Bool
    /// Zero in an earlier version, which has none.
    let salt: UInt32

    /// Creates the header of a new journal.
    init(isRewritten: Bool) {
        version = .current
        self.isRewritten = isRewritten
        salt = .random(in: .min ... .max)
    }

    /// Reads a header.
    /// - Throws: `StoreError` (`corrupt`) when the magic or the checksum is wrong.
    init(_ journal: UnsafeRawBufferPointer) throws(StoreError) {
        guard
            let version = JournalVersion.allCases.first(where: { version in
                journal.starts(with: version.names.new) || version.names.rewritten.map(journal.starts(with:)) ?? false
            })
        else { throw Self.none }
        self.version = version
        isRewritten = version.names.rewritten.map(journal.starts(with:)) ?? false
        guard version == .current else {
            salt = 0
            return
        }
        let name = version.names.new
        var reader = JournalDecoder(UnsafeRawBufferPointer(rebasing: journal[name.count...]))
        guard let salt: UInt32 = reader.number(), let checksum: UInt32 = reader.number(),
            checksum == CRC32.checksum(UnsafeRawBufferPointer(rebasing: journal[..<(Self.size - 4)]))
        else { throw MemoryDatabase.corruptJournal }
        self.salt = salt
    }

    var bytes: [UInt8] {
        let names = version.names
        var bytes = isRewritten ? names.rewritten ?? names.new : names.new
        JournalRecord.append(salt, to: &bytes)
        JournalRecord.append(bytes.withUnsafeBytes { CRC32.checksum($0) }, to: &bytes)
        return bytes
    }

    /// True for a file without any commit: it is empty, or its header is incomplete.
    static func isUnfinished(_ journal: [UInt8]) -> Bool {
        JournalVersion.allCases.contains { version in
            let name = version.names.new
            return journal.count < version.headerSize && name.starts(with: journal.prefix(name.count))
        }
    }

    static let none = StoreError(
        .corrupt, "File is not a MemoryStore journal, or was written by a newer version; check the path.")
}

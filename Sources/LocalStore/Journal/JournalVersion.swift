/// Version of a journal's format, by the name at the start of the file. The layout of the records is the same in all.
///
/// A journal of an earlier version is rewritten when it is opened.
enum JournalVersion: CaseIterable {
    /// Frames have a length and a checksum; their transactions have no numbers.
    case first
    /// Frames have the number of their transaction, and a checksum of the header that depends on its offset.
    case second
    /// The format of ``JournalHeader`` and ``JournalFrame``.
    case current

    /// The names of a journal, and of one that was rewritten; see ``JournalHeader/isRewritten``.
    var names: (new: [UInt8], rewritten: [UInt8]?) {
        switch self {
        case .first: (Array("PBMEMJ01".utf8), nil)
        case .second: (Array("PBMEMJ2A".utf8), Array("PBMEMJ2R".utf8))
        case .current: (Array("PBMEMJ3A".utf8), Array("PBMEMJ3R".utf8))
        }
    }

    /// Size of the file header in bytes.
    var headerSize: Int { self == .current ? JournalHeader.size : names.new.count }

    /// Size of the header of a frame in bytes.
    var frameHeaderSize: Int {
        switch self {
        case .first: 9
        case .second: 17
        case .current: JournalFrame.headerSize
        }
    }
}

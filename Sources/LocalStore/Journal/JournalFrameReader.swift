import StoreCore

/// Reads a journal frame by frame, and distinguishes a torn end from corruption.
///
/// A killed process leaves a last frame that is shorter than its header says, and a power failure one with sectors of
/// zeros that the file system had not written yet. Such a frame is the torn end of the journal, unless a later valid
/// header proves that its transaction was committed. Any other invalid frame is corruption: it may have been committed.
/// Every byte offset is searched for a later header, since bytes may be missing before it.
struct JournalFrameReader {
    /// Next item of a journal.
    enum Step {
        /// The records of a frame.
        case frame(UnsafeRawBufferPointer, isLast: Bool)
        case end
        /// An incomplete frame of the last, uncommitted transaction.
        case torn
        /// A frame with sectors of zeros at the end of the journal: unwritten ones, or damage of the last transactions.
        case unwritten
        /// An invalid frame of a transaction that may have been committed.
        case corrupt
    }

    let head: JournalHeader
    private let journal: UnsafeRawBufferPointer
    /// Offset of the next frame.
    private(set) var offset: Int
    /// Transaction number of the next frame.
    private(set) var transaction: UInt32 = 1

    /// - Throws: `StoreError` (`corrupt`) when the journal has no valid header.
    init(_ journal: UnsafeRawBufferPointer) throws(StoreError) {
        self.journal = journal
        head = try JournalHeader(journal)
        offset = head.version.headerSize
    }

    /// The header at an offset; nil when there is no valid one.
    private func header(at place: Int) -> JournalFrame.Header? {
        switch head.version {
        case .first: JournalFrame.Header(first: journal, at: place, transaction: transaction)
        case .second: JournalFrame.Header(second: journal, at: place)
        case .current: JournalFrame.Header(journal, at: place, salt: head.salt)
        }
    }

    mutating func next() -> Step {
        if offset == journal.count { return .end }
        guard let header = header(at: offset), let records = header.records(journal, at: offset) else {
            return invalidFrame()
        }
        guard header.transaction == transaction, header.offset == offset else { return .corrupt }
        offset += header.size + header.length
        if header.isLast { transaction &+= 1 }
        return .frame(records, isLast: header.isLast)
    }

    private func invalidFrame() -> Step {
        guard !isCommitted(from: offset) else { return .corrupt }
        let length = header(at: offset)?.length ?? 0
        guard journal.count - offset >= head.version.frameHeaderSize + length else { return .torn }
        return hasUnwrittenSector ? .unwritten : .corrupt
    }

    /// True if a sector, or the part of one at either end of the frame, has only zeros. Shorter parts may be content.
    private var hasUnwrittenSector: Bool {
        let (sector, shortest) = (512, 32)
        var start = offset
        while start < journal.count {
            let end = min((start / sector + 1) * sector, journal.count)
            let isWhole = end - start >= shortest || (start == offset && end - start >= 4)
            if isWhole, journal[start..<end].allSatisfy({ $0 == 0 }) { return true }
            start = end
        }
        return false
    }

    /// True when the bytes from `start` prove that the current transaction was committed.
    ///
    /// The proof is its own committing frame, or a frame of a later transaction.
    private func isCommitted(from start: Int) -> Bool {
        if head.version == .first { return isFollowed(start) }
        var place = start
        while place + head.version.frameHeaderSize <= journal.count {
            defer { place += 1 }
            // Cheap test first: the transaction number must be near the current one. It excludes almost every offset.
            let number = UInt32(littleEndian: journal.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self))
            guard number &- transaction < 1 << 24,
                let header = header(at: place)
            else { continue }
            if header.transaction != transaction { return true }
            if header.isLast, header.records(journal, at: place) != nil { return true }
        }
        return false
    }

    /// True when a valid frame follows the one at `start`: the only proof in the first version.
    private func isFollowed(_ start: Int) -> Bool {
        guard let header = header(at: start) else { return false }
        let end = start + header.size + header.length
        return end < journal.count && self.header(at: end)?.records(journal, at: end) != nil
    }
}

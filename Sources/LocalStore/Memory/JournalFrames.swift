/// Reads a journal frame by frame, and tells an end that was not finished from damage.
///
/// A process that is killed, or a machine without power, leaves a journal whose last transaction lacks its end. So a
/// broken frame is the end, unless a later header of the same journal proves that more had been committed. Such a header
/// is searched for at every byte, since bytes may be missing before it.
struct JournalFrames {
    /// What comes next in a journal.
    enum Step {
        /// Records.
        case frame(UnsafeRawBufferPointer, isLast: Bool)
        case end
        /// A frame that was not written to its end, as happens in the last transaction.
        case torn
        /// A broken frame before the end.
        case corrupt
    }

    let head: JournalHead
    private let journal: UnsafeRawBufferPointer
    /// Where the next frame begins.
    private(set) var offset = JournalHead.size
    /// The number of the transaction that the next frame belongs to.
    private(set) var transaction: UInt32 = 1

    /// - Throws: `StoreError` (`corrupt`) when the journal has no head.
    init(_ journal: UnsafeRawBufferPointer) throws(StoreError) {
        self.journal = journal
        head = try JournalHead(journal)
    }

    mutating func next() -> Step {
        if offset == journal.count { return .end }
        guard let header = JournalFrame.Header(journal, at: offset, salt: head.salt),
            let records = header.records(journal, at: offset)
        else { return isCommitted(from: offset) ? .corrupt : .torn }
        guard header.transaction == transaction, header.offset == offset else { return .corrupt }
        offset += JournalFrame.headerSize + header.length
        if header.isLast { transaction &+= 1 }
        return .frame(records, isLast: header.isLast)
    }

    /// True when something from a place on proves that the transaction at hand was committed: its own end, or a frame
    /// of a later one.
    private func isCommitted(from start: Int) -> Bool {
        var place = start
        while place + JournalFrame.headerSize <= journal.count {
            defer { place += 1 }
            // A header's number is near; that is quickly seen, and rules out nearly every place.
            let number = UInt32(littleEndian: journal.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self))
            guard number &- transaction < 1 << 24,
                let header = JournalFrame.Header(journal, at: place, salt: head.salt)
            else { continue }
            if header.transaction != transaction { return true }
            if header.isLast, header.records(journal, at: place) != nil { return true }
        }
        return false
    }
}

/// The form of a journal: a head that names it, then frames. A frame is a header and records; a transaction is one frame
/// or more. All numbers are little endian.
///
/// A header is the length of the records, the number of the transaction, a byte that says whether the frame commits it,
/// the checksum of the records, and one of the header itself and of its offset in the file. So a header is known for one wherever a search for it
/// begins, and bytes that look like one because a blob holds a journal are not taken for it.
enum JournalFrame {
    static let head = Array("PBMEMJ2A".utf8)
    /// The head of a journal that was rewritten. Its first transaction is the whole state, and was finished before the
    /// file had the journal's name.
    static let rewrittenHead = Array("PBMEMJ2R".utf8)
    static let headerSize = 17

    struct Header {
        /// How long the records are.
        let length: Int
        let transaction: UInt32
        /// True when the frame commits its transaction.
        let isLast: Bool
        private let checksum: UInt32

        /// Reads the header at an offset; nil when there is none.
        init?(_ journal: UnsafeRawBufferPointer, at offset: Int) {
            guard journal.count - offset >= headerSize else { return nil }
            let bytes = UnsafeRawBufferPointer(rebasing: journal[offset..<offset + headerSize])
            var reader = JournalReader(bytes)
            guard let length: UInt32 = reader.number(), let transaction: UInt32 = reader.number(),
                let kind = reader.byte(), kind <= 1, let checksum: UInt32 = reader.number(),
                let own: UInt32 = reader.number(),
                own == JournalFrame.checksum(UnsafeRawBufferPointer(rebasing: bytes.dropLast(4)), at: offset)
            else { return nil }
            self.length = Int(length)
            self.transaction = transaction
            isLast = kind == 1
            self.checksum = checksum
        }

        /// The records behind the header; nil when they are not all there, or not what was written.
        func records(_ journal: UnsafeRawBufferPointer, at offset: Int) -> UnsafeRawBufferPointer? {
            let start = offset + headerSize
            guard journal.count - start >= length else { return nil }
            let records = UnsafeRawBufferPointer(rebasing: journal[start..<start + length])
            return CRC32.checksum(records) == checksum ? records : nil
        }
    }

    /// Fills in the header of a frame, for which there is room before the records.
    static func seal(_ frame: inout [UInt8], transaction: UInt32, isLast: Bool, at offset: Int) {
        var header: [UInt8] = []
        header.reserveCapacity(headerSize)
        JournalRecord.append(UInt32(truncatingIfNeeded: frame.count - headerSize), to: &header)
        JournalRecord.append(transaction, to: &header)
        header.append(isLast ? 1 : 0)
        let records = frame.withUnsafeBytes { CRC32.checksum(UnsafeRawBufferPointer(rebasing: $0[headerSize...])) }
        JournalRecord.append(records, to: &header)
        JournalRecord.append(header.withUnsafeBytes { checksum($0, at: offset) }, to: &header)
        frame.replaceSubrange(0..<headerSize, with: header)
    }

    private static func checksum(_ header: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
        var place = UInt64(offset)
        // Multiplied, or the checksum of two offsets would differ in few bits.
        place = place &* 0x9E37_79B9_7F4A_7C15
        return CRC32.checksum(header) ^ UInt32(truncatingIfNeeded: place >> 32)
    }
}

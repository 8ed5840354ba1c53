/// The form of a journal: a ``JournalHead``, then frames. A frame is a header and records; a transaction is one frame or
/// more. All numbers are little endian.
///
/// A header is the length of the records (4 bytes), the number of the transaction (4), 1 if the frame commits it or 0
/// (1), the checksum of the records (4), the header's own offset in the file (8), and the checksum of all this with the
/// journal's salt (4). So a header of this journal is known for one wherever it is found, and tells whether it was moved.
enum JournalFrame {
    static let headerSize = 25

    struct Header {
        /// How long the records are.
        let length: Int
        let transaction: UInt32
        /// True when the frame commits its transaction.
        let isLast: Bool
        /// Where the header was written. It is elsewhere when bytes before it are missing, or were added.
        let offset: Int
        private let checksum: UInt32

        /// Reads the header at a place; nil when there is none.
        init?(_ journal: UnsafeRawBufferPointer, at place: Int, salt: UInt32) {
            guard journal.count - place >= headerSize else { return nil }
            let bytes = UnsafeRawBufferPointer(rebasing: journal[place..<place + headerSize])
            var reader = JournalReader(bytes)
            guard let length: UInt32 = reader.number(), let transaction: UInt32 = reader.number(),
                let kind = reader.byte(), kind <= 1, let checksum: UInt32 = reader.number(),
                let offset: Int64 = reader.number(), let own: UInt32 = reader.number(),
                own == CRC32.checksum(UnsafeRawBufferPointer(rebasing: bytes.dropLast(4))) ^ salt
            else { return nil }
            self.length = Int(length)
            self.transaction = transaction
            isLast = kind == 1
            self.offset = Int(offset)
            self.checksum = checksum
        }

        /// The records behind the header at a place; nil when they are not all there, or not what was written.
        func records(_ journal: UnsafeRawBufferPointer, at place: Int) -> UnsafeRawBufferPointer? {
            let start = place + headerSize
            guard journal.count - start >= length else { return nil }
            let records = UnsafeRawBufferPointer(rebasing: journal[start..<start + length])
            return CRC32.checksum(records) == checksum ? records : nil
        }
    }

    /// Fills in the header of a frame, for which there is room before the records.
    static func seal(_ frame: inout [UInt8], transaction: UInt32, isLast: Bool, at offset: Int, salt: UInt32) {
        var header: [UInt8] = []
        header.reserveCapacity(headerSize)
        JournalRecord.append(UInt32(truncatingIfNeeded: frame.count - headerSize), to: &header)
        JournalRecord.append(transaction, to: &header)
        header.append(isLast ? 1 : 0)
        let records = frame.withUnsafeBytes { CRC32.checksum(UnsafeRawBufferPointer(rebasing: $0[headerSize...])) }
        JournalRecord.append(records, to: &header)
        JournalRecord.append(Int64(offset), to: &header)
        JournalRecord.append(header.withUnsafeBytes { CRC32.checksum($0) } ^ salt, to: &header)
        frame.replaceSubrange(0..<headerSize, with: header)
    }
}

/// File format of a journal (a redo log): a ``JournalHeader``, then frames. All numbers are little endian.
///
/// A frame is a header followed by records; a transaction is one or more frames. The fields of a header:
///
/// | bytes | field |
/// |---|---|
/// | 4 | length of the records |
/// | 4 | transaction number |
/// | 1 | 1 if the frame commits the transaction, else 0 |
/// | 4 | CRC-32 of the records |
/// | 8 | offset of this header in the file |
/// | 4 | CRC-32 of the fields above, XOR the journal's salt |
///
/// The salt makes this journal's headers recognizable at any position, and the offset shows whether one was moved.
enum JournalFrame {
    static let headerSize = 25

    struct Header {
        /// Length of the records in bytes.
        let length: Int
        let transaction: UInt32
        /// True when the frame commits its transaction.
        let isLast: Bool
        /// Offset at which the header was written. It differs from the actual one when bytes were lost or inserted.
        let offset: Int
        private let checksum: UInt32

        /// Reads the header at an offset; nil when there is no valid one.
        init?(_ journal: UnsafeRawBufferPointer, at place: Int, salt: UInt32) {
            guard journal.count - place >= headerSize else { return nil }
            let bytes = UnsafeRawBufferPointer(rebasing: journal[place..<place + headerSize])
            var reader = JournalDecoder(bytes)
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

        /// The records after the header at an offset; nil when they are truncated or their checksum is wrong.
        func records(_ journal: UnsafeRawBufferPointer, at place: Int) -> UnsafeRawBufferPointer? {
            let start = place + headerSize
            guard journal.count - start >= length else { return nil }
            let records = UnsafeRawBufferPointer(rebasing: journal[start..<start + length])
            return CRC32.checksum(records) == checksum ? records : nil
        }
    }

    /// Writes the header of a frame into the space reserved before its records.
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

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
        /// Size of the header in bytes.
        let size: Int
        /// Checksum of the records, in the first version also of the byte before them.
        private let checksum: UInt32
        private let checksumStart: Int

        fileprivate init(
            length: Int, transaction: UInt32, isLast: Bool, offset: Int, size: Int, checksum: UInt32,
            checksumStart: Int
        ) {
            self.length = length
            self.transaction = transaction
            self.isLast = isLast
            self.offset = offset
            self.size = size
            self.checksum = checksum
            self.checksumStart = checksumStart
        }

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
            self.init(
                length: Int(length), transaction: transaction, isLast: kind == 1, offset: Int(offset),
                size: headerSize, checksum: checksum, checksumStart: headerSize)
        }

        /// The records after the header at an offset; nil when they are truncated or their checksum is wrong.
        func records(_ journal: UnsafeRawBufferPointer, at place: Int) -> UnsafeRawBufferPointer? {
            let start = place + size
            guard journal.count - start >= length else { return nil }
            let checked = UnsafeRawBufferPointer(rebasing: journal[place + checksumStart..<start + length])
            guard CRC32.checksum(checked) == checksum else { return nil }
            return UnsafeRawBufferPointer(rebasing: journal[start..<start + length])
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

// Headers of earlier versions. None has the offset at which it was written, so that is the one at which it is read.
extension JournalFrame.Header {
    /// Reads a header of the second version: as of the current one, without the offset. Its checksum is XOR a hash of
    /// the offset.
    init?(second journal: UnsafeRawBufferPointer, at place: Int) {
        let size = JournalVersion.second.frameHeaderSize
        guard journal.count - place >= size else { return nil }
        let bytes = UnsafeRawBufferPointer(rebasing: journal[place..<place + size])
        let hash = UInt32(truncatingIfNeeded: (UInt64(place) &* 0x9E37_79B9_7F4A_7C15) >> 32)
        var reader = JournalDecoder(bytes)
        guard let length: UInt32 = reader.number(), let transaction: UInt32 = reader.number(),
            let kind = reader.byte(), kind <= 1, let checksum: UInt32 = reader.number(),
            let own: UInt32 = reader.number(),
            own == CRC32.checksum(UnsafeRawBufferPointer(rebasing: bytes.dropLast(4))) ^ hash
        else { return nil }
        self.init(
            length: Int(length), transaction: transaction, isLast: kind == 1, offset: place, size: size,
            checksum: checksum, checksumStart: size)
    }

    /// Reads a header of the first version: length and checksum of what follows them, which is 1 if the frame commits
    /// the transaction, else 0, and the records. It has no checksum of its own.
    /// - Parameter transaction: the number that the transaction has by its position.
    init?(first journal: UnsafeRawBufferPointer, at place: Int, transaction: UInt32) {
        let size = JournalVersion.first.frameHeaderSize
        guard journal.count - place >= size else { return nil }
        var reader = JournalDecoder(UnsafeRawBufferPointer(rebasing: journal[place..<place + size]))
        guard let length: UInt32 = reader.number(), length > 0, let checksum: UInt32 = reader.number(),
            let kind = reader.byte()
        else { return nil }
        self.init(
            length: Int(length) - 1, transaction: transaction, isLast: kind == 1, offset: place, size: size,
            checksum: checksum, checksumStart: size - 1)
    }
}

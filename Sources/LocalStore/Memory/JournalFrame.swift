/// The form of a journal: a head that names it, then frames. A frame is its length and checksum, four bytes each, a byte
/// that says whether a transaction ends with it, and records. All numbers are little endian.
enum JournalFrame {
    static let head = Array("PBMEMJ01".utf8)
    /// The length and the checksum.
    static let headerSize = 8
    /// About how large a frame may grow; a record is never cut.
    static let targetSize = 1 << 20

    /// What comes next in a journal.
    enum Next {
        /// Records, and the rest behind them.
        case frame(UnsafeRawBufferPointer, isLast: Bool, rest: UnsafeRawBufferPointer)
        case end
        /// A frame that was not written to its end, as happens to the last one.
        case torn
        /// A broken frame with a good one behind it.
        case corrupt
    }

    /// A frame around records.
    static func framed(_ records: [UInt8], isLast: Bool) -> [UInt8] {
        var content: [UInt8] = [isLast ? 1 : 0]
        content += records
        var frame: [UInt8] = []
        frame.reserveCapacity(content.count + headerSize)
        JournalRecord.append(UInt32(content.count), to: &frame)
        JournalRecord.append(content.withUnsafeBytes { CRC32.checksum($0) }, to: &frame)
        return frame + content
    }

    static func next(_ bytes: UnsafeRawBufferPointer) -> Next {
        if bytes.isEmpty { return .end }
        guard let (content, rest) = extent(bytes) else { return .torn }
        guard isWhole(bytes, content) else {
            guard let (following, _) = extent(rest), isWhole(rest, following) else { return .torn }
            return .corrupt
        }
        return .frame(
            UnsafeRawBufferPointer(rebasing: content.dropFirst()), isLast: content[0] == 1, rest: rest)
    }

    /// The content of the first frame and what is behind it; nil when not all of it is there.
    private static func extent(
        _ bytes: UnsafeRawBufferPointer
    ) -> (content: UnsafeRawBufferPointer, rest: UnsafeRawBufferPointer)? {
        var reader = JournalReader(bytes)
        guard let length: UInt32 = reader.number(), length > 0, bytes.count - headerSize >= Int(length) else {
            return nil
        }
        let end = headerSize + Int(length)
        return (
            UnsafeRawBufferPointer(rebasing: bytes[headerSize..<end]), UnsafeRawBufferPointer(rebasing: bytes[end...])
        )
    }

    private static func isWhole(_ bytes: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer) -> Bool {
        bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) == CRC32.checksum(content).littleEndian
    }
}

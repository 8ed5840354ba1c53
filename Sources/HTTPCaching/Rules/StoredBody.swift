import Foundation
import HTTPMessages
import SystemLibraries

/// The stored bytes of a response: all of it, or parts.
struct StoredBody: Sendable {
    /// Where the bytes are.
    enum Bytes: Sendable {
        case memory(Data)
        case file(URL, count: Int64)
    }

    private(set) var bytes: Bytes
    /// The offsets of the stored parts in the whole, ascending and disjoint, whose bytes follow each other; nil for all
    /// bytes.
    var parts: [Range<Int64>]?
    /// The length of the whole; nil if it is not known.
    var length: Int64?

    /// A whole body.
    init(_ data: Data) {
        bytes = .memory(data)
        length = Int64(data.count)
    }

    /// A whole body in a file.
    init(file: URL, count: Int64) {
        bytes = .file(file, count: count)
        length = count
    }

    /// Parts of a body.
    init(_ data: Data, parts: [Range<Int64>], length: Int64?) {
        bytes = .memory(data)
        self.parts = parts
        self.length = length
    }

    /// A whole body of stored bytes.
    init(bytes: Bytes) {
        self.bytes = bytes
        length = Int64(byteCount)
    }

    var isComplete: Bool { parts == nil }

    var isInFile: Bool { if case .file = bytes { true } else { false } }

    /// Deletes the file of a body that is not stored.
    func deleteFile() { if case .file(let url, _) = bytes { SystemFile.delete(url.path) } }

    /// Blocks until the file of a body is on the device: no row may name one that a power failure has emptied.
    /// - Throws: `POSIXError`.
    func synchronizeFile() throws(POSIXError) {
        if case .file(let url, _) = bytes { try SystemFile(url.path, for: .writing).synchronize() }
    }

    /// True if the parts have as many bytes as are stored.
    var isConsistent: Bool {
        guard let parts else { return true }
        let ends = parts.map(\.lowerBound).dropFirst() + [length ?? .max]
        return parts.reduce(0) { $0 &+ $1.count } == byteCount && zip(parts, ends).allSatisfy { $0.upperBound <= $1 }
    }

    /// The number of stored bytes.
    var byteCount: Int {
        switch bytes {
        case .memory(let data): data.count
        case .file(_, let count): Int(clamping: count)
        }
    }

    /// The bytes of a range of the whole; nil if not all of them are stored.
    func slice(_ range: Range<Int64>) -> Slice? {
        guard let parts else {
            return length.map { range.upperBound <= $0 } ?? false ? Slice(bytes: bytes, range: range) : nil
        }
        var offset: Int64 = 0
        for part in parts {
            if part.lowerBound <= range.lowerBound, range.upperBound <= part.upperBound {
                let start = offset + range.lowerBound - part.lowerBound
                return Slice(bytes: bytes, range: start..<(start + Int64(range.count)))
            }
            offset += Int64(part.count)
        }
        return nil
    }

    /// The whole body; nil if only parts are stored.
    var whole: Slice? { isComplete ? Slice(bytes: bytes, range: 0..<Int64(byteCount)) : nil }

    /// Joins a further part, which comes from the same representation.
    func adding(_ data: Data, at range: Range<Int64>, length total: Int64?) -> StoredBody? {
        guard let parts, case .memory(let known) = bytes, length == nil || total == nil || length == total else {
            return nil
        }
        var (pieces, offset) = ([(range, data)], 0)
        for part in parts {
            let end = offset + part.count
            pieces.append((part, known.dropFirst(offset).prefix(part.count)))
            offset = end
        }
        pieces.sort { $0.0.lowerBound < $1.0.lowerBound }
        var joined: [(range: Range<Int64>, data: Data)] = []
        for (part, bytes) in pieces {
            guard let last = joined.last, part.lowerBound <= last.range.upperBound else {
                joined.append((part, Data(bytes)))
                continue
            }
            let fresh = part.upperBound - last.range.upperBound
            guard fresh > 0 else { continue }
            joined[joined.count - 1].data.append(bytes.suffix(Int(fresh)))
            joined[joined.count - 1].range = last.range.lowerBound..<part.upperBound
        }
        let all = joined.reduce(into: Data()) { $0.append($1.data) }
        let whole = length ?? total
        if joined.count == 1, joined[0].range.lowerBound == 0, joined[0].range.upperBound == whole {
            return StoredBody(all)
        }
        return StoredBody(all, parts: joined.map(\.range), length: whole)
    }

    /// The end of the stored start of a body of known length, from where it can be completed; nil for any other.
    var completionOffset: Int64? {
        guard let parts, parts.count == 1, parts[0].lowerBound == 0, let length, parts[0].upperBound < length else {
            return nil
        }
        return parts[0].upperBound
    }

    /// Some of the stored bytes.
    struct Slice: Sendable {
        let bytes: Bytes
        let range: Range<Int64>

        /// The bytes in memory; those of a file are read.
        func data() throws -> Data {
            switch bytes {
            case .memory(let data):
                if range.count == data.count { return data }
                let start = data.startIndex + Int(range.lowerBound)
                return Data(data[start..<(start + range.count)])
            case .file(let url, let count): return try Self.open(url, count).read(range.count, at: range.lowerBound)
            }
        }

        /// The bytes as a body that is read piece by piece.
        func body() throws -> HTTPBody {
            switch bytes {
            case .memory: .bytes(try data())
            case .file(let url, let count):
                // Opened now: the response may be evicted before it is read.
                .generated(length: Int64(range.count)) { [file = try Self.open(url, count), range] in
                    BodyFileReader(file, range)
                }
            }
        }

        /// - Throws: `POSIXError`; ``CacheStorageError`` (`damagedBody`) for a file of another length.
        private static func open(_ url: URL, _ count: Int64) throws -> SystemFile {
            let file = try SystemFile(url.path, for: .reading)
            guard let size = file.status?.size, size == count else { throw CacheStorageError.damagedBody }
            return file
        }
    }
}

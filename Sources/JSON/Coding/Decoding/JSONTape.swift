import Foundation

/// Tape of a JSON text: one entry for each value and key, in the order of the text.
///
/// One pass checks the grammar and writes the tape; decoders and containers read from it without copying. An object is
/// followed by the entries of its keys and values in turn, an array by those of its elements; a container has two
/// entries, see ``TapeEntry``. Entry 0 is a null that is not in the text, for a missing member.
///
/// Its unsafe pointers are sound because:
///
/// - The tape owns both buffers, and every decoder and container holds a reference to it. So one that a type keeps in a
///   property reads memory that still exists.
/// - The text is a padded copy, which does not change (see ``JSONScanner``).
/// - The scanner writes only complete values: indexes and lengths in entries are in range. An index in a decoder or
///   container comes from the tape itself; containers compare it with the end of their array or object first.
/// - After scanning, only flags and expected keys are written. They are hints within one object, valid in any order.
///   Decoders are not `Sendable`, so one thread at a time reads and writes them.
final class JSONTape {
    let text: UnsafePointer<UInt8>
    let textCount: Int
    let entries: UnsafeMutablePointer<TapeEntry>
    let coding: JSONCoding
    /// True if names are converted before they are compared with keys.
    let convertsKeys: Bool
    /// Values by name, of objects whose keys cannot be compared as bytes, or are many.
    var members: [Int: [String: Int]] = [:]
    /// Converted names by the names in the text.
    var convertedNames: [String: String] = [:]
    /// Keys of paths by the index of their name, negative if it is not converted; for names with memory of their own.
    var longKeys: [Int: any CodingKey] = [:]
    /// Last keys of the paths of decoders for missing members.
    var missingKeys: [any CodingKey] = []

    /// Index of the outermost value.
    static let root = 1

    /// Scans a text.
    /// - Throws: `DecodingError.dataCorrupted` with a ``JSONError``.
    convenience init(_ data: Data, coding: JSONCoding) throws {
        guard let utf8 = data.transcodedJSON else { try self.init(utf8: data, coding: coding); return }
        try self.init(utf8: utf8, coding: coding)
    }

    private init(utf8 data: Data, coding: JSONCoding) throws {
        let count = data.count
        let text = data.withUnsafeBytes(Self.padded)
        var writer = TapeWriter(capacity: count / 8 + 16)
        writer.append(TapeEntry(.null, offset: 0))
        var scanner = JSONScanner(text, count, from: 0, scratch: text)
        do throws(JSONScanner.Stop) {
            try scanner.tapeDocument(&writer, maximumDepth: coding.maximumDepth)
        } catch {
            defer { text.deallocate() }
            throw DecodingError.invalidJSON(JSONError(error, in: UnsafeBufferPointer(start: text, count: count)))
        }
        self.text = UnsafePointer(text)
        textCount = count
        entries = writer.take()
        self.coding = coding
        if case .unchanged = coding.keys { convertsKeys = false } else { convertsKeys = true }
    }

    /// Copies the text of one value that was scanned, and takes its entries.
    init(_ bytes: UnsafeBufferPointer<UInt8>, entries writer: consuming TapeWriter, coding: JSONCoding) {
        let text = Self.padded(UnsafeRawBufferPointer(bytes))
        self.text = UnsafePointer(text)
        textCount = bytes.count
        entries = writer.take()
        self.coding = coding
        if case .unchanged = coding.keys { convertsKeys = false } else { convertsKeys = true }
    }

    /// A copy of bytes with the padding of a scanner.
    private static func padded(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8> {
        let text = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + JSONScanner.padding)
        if let start = bytes.baseAddress { memcpy(text, start, bytes.count) }
        memset(text + bytes.count, 0, JSONScanner.padding)
        return text
    }

    deinit {
        text.deallocate()
        entries.deallocate()
    }

    /// Decodes the outermost value.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try value(type, at: TapePosition(index: Self.root, container: 0, ordinal: 0))
        } catch let error as DecodingError {
            throw locating(error)
        }
    }

    /// Index of the entry after a value.
    @inline(__always)
    func next(after index: Int) -> Int {
        let entry = entries[index]
        return entry.kind.rawValue >= TapeEntry.Kind.array.rawValue ? entry.end : index + 1
    }

    /// The bytes of a string in the text, escaped if its kind says so.
    @inline(__always)
    func bytes(of entry: TapeEntry) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text + entry.offset, count: entry.length)
    }

    /// The text of a number.
    func number(at index: Int) -> UnsafeBufferPointer<UInt8> {
        let start = text + entries[index].offset
        var end = start
        while end.pointee.isJSONNumberByte { end += 1 }
        return UnsafeBufferPointer(start: start, count: end - start)
    }

    /// The string of an entry of a string.
    @inline(__always)
    func string(of entry: TapeEntry) -> String {
        entry.kind == .string ? String(decoding: bytes(of: entry), as: UTF8.self) : unescaped(entry)
    }

    @inline(never)
    private func unescaped(_ entry: TapeEntry) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: entry.length + 1) { scratch in
            // The position is at the quote. The string was checked when the tape was written.
            var scanner = JSONScanner(
                text, textCount, from: entry.offset - 1, scratch: scratch.baseAddress.unsafelyUnwrapped)
            return (try? scanner.string()).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }
}

/// Place of a value in a tape.
struct TapePosition {
    private let indexes: (UInt32, UInt32, UInt32)

    /// - Parameters:
    ///   - index: the entry of the value; 0 for a missing member.
    ///   - container: the array or object around it; 0 for the outermost value.
    ///   - ordinal: the index of an element, or that of the last key of the path of a missing member.
    @inline(__always)
    init(index: Int, container: Int, ordinal: Int) {
        indexes = (
            UInt32(truncatingIfNeeded: index), UInt32(truncatingIfNeeded: container),
            UInt32(truncatingIfNeeded: ordinal)
        )
    }

    @inline(__always)
    var index: Int { Int(indexes.0) }
    @inline(__always)
    var container: Int { Int(indexes.1) }
    @inline(__always)
    var ordinal: Int { Int(indexes.2) }
}

extension UInt8 {
    fileprivate var isJSONNumberByte: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}

import Foundation
public import SystemLibraries

/// Content coding that compresses a body (RFC 9110, section 8.4.1).
public struct ContentCoding: Hashable, Sendable, CustomStringConvertible {
    /// The token in `Content-Encoding`.
    public let name: String
    private init(known name: String) { self.name = name }

    /// The gzip format (RFC 1952), by the system's zlib.
    public static let gzip = ContentCoding(known: "gzip")
    /// Zstandard (RFC 8878), by the system's libzstd; not on Apple platforms.
    public static let zstd = ContentCoding(known: "zstd")

    /// Same as ``name``.
    public var description: String { name }

    /// True if the system has the library of this coding.
    public var isAvailable: Bool { (try? checkAvailability()) != nil }

    /// Encodes a body; an empty body stays empty.
    ///
    /// Bytes in memory are encoded immediately, so that the length is known. Other bodies are encoded as the engine
    /// takes them, with bounded memory and unknown length, and stay replayable if they were. Each chunk of a stream is
    /// encoded to its end before the next one is awaited, which costs some bytes: chunks of a few bytes become longer.
    /// - Parameter level: 0 (no compression with gzip, little with zstd) to 9 (smallest); clamped to this range.
    /// - Throws: `SystemLibraryError` (`missingLibrary`) if the system has no library of this coding.
    public func encode(_ body: HTTPBody, level: Int = 6) throws(SystemLibraryError) -> HTTPBody {
        let level = min(max(level, 0), 9)
        switch body.source {
        case .empty:
            return .empty
        case .bytes(let data):
            let compressor = try makeCompressor(level: level)
            compressor.supply(data)
            compressor.finish()
            var output = Data()
            while let piece = try compressor.read(atMost: 65_536) { output.append(piece) }
            return .bytes(output)
        default:
            try checkAvailability()
        }
        guard body.isReplayable else { return .stream(CompressedChunks(body: body, coding: self, level: level)) }
        return .generated { try CompressingReader(body, self, level: level) }
    }

    private func checkAvailability() throws(SystemLibraryError) {
        if self == .zstd { try ZstdCompressor.checkAvailability() } else { try Deflater.checkAvailability() }
    }

    fileprivate func makeCompressor(level: Int) throws(SystemLibraryError) -> any StreamCompressor {
        if self == .zstd { return try ZstdCompressor(level: level) }
        return try Deflater(level: level)
    }
}

/// Compresses the bytes of another reader.
private final class CompressingReader: HTTPBodyReader {
    private let base: (any HTTPBodyReader)?
    private let compressor: any StreamCompressor

    init(_ body: HTTPBody, _ coding: ContentCoding, level: Int) throws {
        base = try body.makeReader()
        compressor = try coding.makeCompressor(level: level)
    }

    func read(atMost count: Int) throws -> Data? {
        while true {
            if let data = try compressor.read(atMost: count) { return data }
            if compressor.isAtEnd { return nil }
            if let data = try base?.read(atMost: 65_536) { compressor.supply(data) } else { compressor.finish() }
        }
    }
}

/// Compresses the chunks of a body that contains a stream.
///
/// Each chunk is flushed: the producer of the next one may wait for a response to it.
private struct CompressedChunks: AsyncSequence, Sendable {
    let body: HTTPBody
    let coding: ContentCoding
    let level: Int

    struct Iterator: AsyncIteratorProtocol {
        private var base: HTTPBodyChunks.Iterator
        private let coding: ContentCoding
        private let level: Int
        private var compressor: (any StreamCompressor)?
        /// True if the compressor may hold back bytes of the last chunk.
        private var mustFlush = false

        init(_ chunks: CompressedChunks) {
            base = chunks.body.chunks().makeAsyncIterator()
            coding = chunks.coding
            level = chunks.level
        }

        mutating func next() async throws -> Data? {
            let compressor = try compressor ?? coding.makeCompressor(level: level)
            self.compressor = compressor
            while true {
                if let data = try compressor.read(atMost: 65_536) { return data }
                if compressor.isAtEnd { return nil }
                if mustFlush {
                    mustFlush = false
                    let data = try compressor.flush()
                    if !data.isEmpty { return data }
                }
                if let data = try await base.next() {
                    compressor.supply(data)
                    mustFlush = true
                } else {
                    compressor.finish()
                }
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}

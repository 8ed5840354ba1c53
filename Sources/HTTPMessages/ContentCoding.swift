import Foundation
public import HTTPMessages
public import SystemLibraries

/// Error of a system library, thrown by compression.
public typealias SystemLibraryError = SystemLibraries.SystemLibraryError

/// Content coding that compresses a body (RFC 9110, section 8.4.1).
public struct ContentCoding: Hashable, Sendable, CustomStringConvertible {
    /// The token in `Content-Encoding`.
    public let name: String
    private init(known name: String) { self.name = name }

    /// The gzip format (RFC 1952).
    public static let gzip = ContentCoding(known: "gzip")

    /// Same as ``name``.
    public var description: String { name }

    /// Encodes a body; an empty body stays empty.
    ///
    /// Bytes in memory are encoded immediately, so that the length is known. Other bodies are encoded while they are
    /// sent, with bounded memory and unknown length, and stay replayable if they were.
    /// - Parameter level: 0 (no compression) to 9 (smallest); clamped to this range.
    /// - Throws: `SystemLibraryError` (`missingLibrary`) if the system has no zlib.
    public func encode(_ body: HTTPBody, level: Int = 6) throws(SystemLibraryError) -> HTTPBody {
        let level = min(max(level, 0), 9)
        switch body.source {
        case .empty:
            return .empty
        case .bytes(let data):
            return .bytes(try Deflater.deflate(data, level: level))
        default:
            try Deflater.checkAvailability()
        }
        guard body.isReplayable else { return .stream(GzipChunks(body: body, level: level)) }
        return .generated { try GzipReader(body, level: level) }
    }
}

extension RequestBody {
    /// Encodes this body and appends the coding to ``codings``; an empty body stays empty.
    /// - Parameter level: 0 (no compression) to 9 (smallest); clamped to this range.
    /// - Throws: `SystemLibraryError` (`missingLibrary`) if the system has no zlib.
    public func encoded(_ coding: ContentCoding, level: Int = 6) throws(SystemLibraryError) -> RequestBody {
        if isEmpty { return self }
        return RequestBody(
            try coding.encode(content, level: level), mediaType: mediaType, codings: codings + [coding])
    }
}

/// Compresses the bytes of another reader.
private final class GzipReader: HTTPBodyReader {
    private let base: (any HTTPBodyReader)?
    private let deflater: Deflater

    init(_ body: HTTPBody, level: Int) throws {
        base = try body.makeReader()
        deflater = try Deflater(level: level)
    }

    func read(atMost count: Int) throws -> Data? {
        while true {
            if let data = try deflater.read(atMost: count) { return data }
            if deflater.isAtEnd { return nil }
            if let data = try base?.read(atMost: 65_536) { deflater.supply(data) } else { deflater.finish() }
        }
    }
}

/// Compresses the chunks of a body that contains a stream.
private struct GzipChunks: AsyncSequence, Sendable {
    let body: HTTPBody
    let level: Int

    struct Iterator: AsyncIteratorProtocol {
        private var base: HTTPBodyChunks.Iterator
        private let level: Int
        private var deflater: Deflater?

        init(_ body: HTTPBody, level: Int) {
            base = body.chunks().makeAsyncIterator()
            self.level = level
        }

        mutating func next() async throws -> Data? {
            let deflater = try deflater ?? Deflater(level: level)
            self.deflater = deflater
            while true {
                if let data = try deflater.read(atMost: 65_536) { return data }
                if deflater.isAtEnd { return nil }
                if let data = try await base.next() { deflater.supply(data) } else { deflater.finish() }
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(body, level: level) }
}

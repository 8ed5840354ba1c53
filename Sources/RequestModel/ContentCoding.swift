import Foundation
public import HTTPMessages
public import SystemLibraries

/// What a system library's failure is called; it surfaces when bodies are compressed.
public typealias SystemLibraryError = SystemLibraries.SystemLibraryError

/// A coding that makes a body smaller on its way (RFC 9110, section 8.4.1).
public struct ContentCoding: Hashable, Sendable, CustomStringConvertible {
    /// The coding's name in `Content-Encoding`.
    public let name: String
    private init(known name: String) { self.name = name }

    /// The gzip format (RFC 1952).
    public static let gzip = ContentCoding(known: "gzip")

    /// The coding's name.
    public var description: String { name }

    /// A body, encoded. No body stays none.
    ///
    /// Bytes in memory are encoded at once, so that the length is known. Everything else is encoded while it is sent, in
    /// little memory and of unknown length; what could be sent again still can.
    /// - Parameter level: 0 (fastest) to 9 (smallest); other numbers count as the nearest of these.
    /// - Throws: `SystemLibraryError` when the system has no zlib.
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
    /// This body, encoded: its `Content-Encoding` is the coding's, after those that it had. No body stays none.
    /// - Parameter level: 0 (fastest) to 9 (smallest); other numbers count as the nearest of these.
    /// - Throws: `SystemLibraryError` when the system has no zlib.
    public func encoded(_ coding: ContentCoding, level: Int = 6) throws(SystemLibraryError) -> RequestBody {
        if isEmpty { return self }
        return RequestBody(
            try coding.encode(content, level: level), mediaType: mediaType, codings: codings + [coding])
    }
}

/// Compresses what another reader reads.
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

/// Compresses the chunks of a body that can be read once.
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

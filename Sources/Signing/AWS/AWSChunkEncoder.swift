import Foundation
import HTTPMessages

/// Cuts a body into signed chunks: `aws-chunked` of "Transferring Payload in Multiple Chunks" of the S3 API reference.
struct AWSChunkEncoder: Sendable {
    /// The sizes of chunks: a server accepts no smaller ones, and each is held in memory.
    static let sizes = 8192...67_108_864

    private let scope: AWSSigningScope
    private let chunkSize: Int
    private var previous: String
    private var pending: [UInt8] = []

    /// - Parameter seed: the signature of the request.
    init(_ scope: AWSSigningScope, chunkSize: Int, seed: String) {
        self.scope = scope
        self.chunkSize = chunkSize
        previous = seed
    }

    /// The chunks that are complete with further bytes.
    mutating func encode(_ data: Data) throws -> Data {
        pending += data
        var encoded = Data()
        var start = 0
        while pending.count - start >= chunkSize {
            encoded += try chunk(Array(pending[start..<(start + chunkSize)]))
            start += chunkSize
        }
        pending.removeFirst(start)
        return encoded
    }

    /// The last chunks: the rest, and an empty one.
    mutating func finish() throws -> Data {
        let rest = pending.isEmpty ? Data() : try chunk(pending)
        pending = []
        return rest + (try chunk([]))
    }

    private mutating func chunk(_ bytes: [UInt8]) throws -> Data {
        previous = try scope.signature(ofChunk: bytes, after: previous)
        return Data("\(String(bytes.count, radix: 16));chunk-signature=\(previous)\r\n".utf8) + bytes
            + Data("\r\n".utf8)
    }

    /// The length of all chunks; nil beyond 2^63 - 1 bytes.
    /// - Parameter chunkSize: one of ``sizes``, or less.
    static func encodedLength(of length: Int64, chunkSize: Int) -> Int64? {
        func chunk(_ size: Int64) -> Int64 { Int64(String(size, radix: 16).utf8.count) + 17 + 64 + 2 + size + 2 }
        let (count, rest) = length.quotientAndRemainder(dividingBy: Int64(chunkSize))
        let (full, isTooLong) = count.multipliedReportingOverflow(by: chunk(Int64(chunkSize)))
        let (sum, overflows) = full.addingReportingOverflow((rest > 0 ? chunk(rest) : 0) + chunk(0))
        return isTooLong || overflows ? nil : sum
    }

    /// The body in chunks, which can be sent as often as the body.
    /// - Parameter encodedLength: the length of all chunks.
    func body(_ body: HTTPBody, encodedLength: Int64) -> HTTPBody {
        guard body.isReplayable else {
            return .stream(AWSChunkStream(base: body.chunks(), encoder: self), length: encodedLength)
        }
        return .generated(length: encodedLength) { AWSChunkReader(try body.makeReader(), self) }
    }
}

/// Reads a body in chunks.
private final class AWSChunkReader: HTTPBodyReader {
    private var base: (any HTTPBodyReader)?
    private var encoder: AWSChunkEncoder
    private var ready = Data()

    init(_ base: (any HTTPBodyReader)?, _ encoder: AWSChunkEncoder) {
        self.base = base
        self.encoder = encoder
    }

    func read(atMost count: Int) throws -> Data? {
        while ready.isEmpty {
            guard let reader = base else { return nil }
            if let data = try reader.read(atMost: 65_536) {
                ready = try encoder.encode(data)
            } else {
                base = nil
                ready = try encoder.finish()
            }
        }
        let piece = ready.prefix(max(1, count))
        ready = ready.dropFirst(piece.count)
        return piece
    }
}

/// A stream in chunks.
private struct AWSChunkStream: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        var base: HTTPBodyChunks.Iterator
        var encoder: AWSChunkEncoder
        var isFinished = false

        mutating func next() async throws -> Data? {
            while !isFinished {
                guard let data = try await base.next() else {
                    isFinished = true
                    return try encoder.finish()
                }
                let encoded = try encoder.encode(data)
                if !encoded.isEmpty { return encoded }
            }
            return nil
        }
    }

    let base: HTTPBodyChunks
    let encoder: AWSChunkEncoder

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), encoder: encoder) }
}

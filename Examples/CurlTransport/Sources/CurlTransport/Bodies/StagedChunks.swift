import Foundation

/// Chunks of a response body on the event thread, on their way to a ``ResponseBuffer``.
///
/// The buffer's lock is taken, and its reader woken, once for many chunks.
struct StagedChunks {
    /// Small chunks are joined up to this size.
    static let mergedSize = 16 << 10
    /// libcurl delivers at most 16 KiB at a time; such pieces are joined up to this size.
    private static let chunkSize = 128 << 10
    /// The size at which the chunks are handed to the reader.
    private static let readySize = 1024 << 10

    var chunks: [Data] = []
    private(set) var byteCount = 0

    var isReady: Bool { byteCount >= Self.readySize }

    /// Appends a copy of the bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        byteCount += bytes.count
        let last = chunks.count - 1
        if last >= 0, chunks[last].count + bytes.count <= Self.chunkSize {
            return chunks[last].append(contentsOf: bytes)
        }
        // A full piece is probably followed by others.
        var chunk = Data(capacity: bytes.count < Self.mergedSize ? bytes.count : Self.chunkSize)
        chunk.append(contentsOf: bytes)
        chunks.append(chunk)
    }
}

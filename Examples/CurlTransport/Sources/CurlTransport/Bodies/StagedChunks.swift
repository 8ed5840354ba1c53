import Foundation

/// Chunks of a response body on the event thread, on their way to the pipe of its reader.
///
/// The pipe's lock is taken, and its reader woken, once for many chunks.
struct StagedChunks {
    /// Memory in which libcurl's pieces, of at most 16 KiB, are joined.
    private struct OpenChunk {
        let memory: ChunkPool.Memory
        /// The bytes that are not in a chunk yet; the memory behind them is free.
        var range = 0..<0

        mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
            guard range.upperBound + bytes.count <= ChunkPool.chunkSize else { return false }
            memory.copy(bytes, to: range.upperBound)
            range = range.lowerBound..<range.upperBound + bytes.count
            return true
        }
    }

    /// The size at which the chunks are handed to the reader.
    private static let readySize = 512 << 10

    private var chunks: [Data] = []
    private var open: OpenChunk?
    private(set) var byteCount = 0

    var isEmpty: Bool { byteCount == 0 }
    var isReady: Bool { byteCount >= Self.readySize }

    /// Appends a copy of the bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer, _ pool: ChunkPool) {
        byteCount += bytes.count
        if open?.append(bytes) == true { return }
        cut()
        open = nil
        guard bytes.count >= ChunkPool.smallSize, bytes.count <= ChunkPool.chunkSize else { return join(bytes) }
        // A full piece is probably followed by others.
        open = OpenChunk(memory: pool.take())
        _ = open?.append(bytes)
    }

    private mutating func join(_ bytes: UnsafeRawBufferPointer) {
        if let last = chunks.indices.last, chunks[last].count + bytes.count <= ChunkPool.smallSize {
            chunks[last].append(contentsOf: bytes)
        } else {
            chunks.append(Data(bytes))
        }
    }

    /// Makes a chunk of the open one's bytes.
    private mutating func cut() {
        guard let range = open?.range, !range.isEmpty, let data = open?.memory.data(range) else { return }
        chunks.append(data)
        open?.range = range.upperBound..<range.upperBound
    }

    /// Takes all chunks. The memory of the last one is filled further.
    mutating func take() -> [Data] {
        cut()
        defer { (chunks, byteCount) = ([], 0) }
        return chunks
    }
}

import Foundation

/// What a ``ResponseBodyPipe`` does with chunks beyond its memory limit.
enum ResponseBodyOverflow: Hashable, Sendable {
    /// Writes them to a file in a folder, which is created on demand.
    case spill(in: URL)
    /// Keeps them in memory, and asks for a suspension of the writer: back-pressure.
    case suspend
}

/// The state machine of ``ResponseBodyPipe``: a FIFO of bytes in memory, followed by bytes in a spill file.
///
/// One writer and one reader; each may use the file while the other calls a method. Bytes in memory are always older
/// than bytes in the file, because no chunk goes to memory while a file exists. A file that is read to its end is
/// released, which frees its space.
///
/// Without spilling there is no file. The pipe is full from reaching the limit until the reader has drained it to half
/// of that, so that the writer is suspended and resumed rarely.
///
/// ```
/// open     -finish-> finished
/// open     -close->  closed
/// finished -close, or read to the end-> closed
/// ```
struct ResponseBodyPipeState<File: Sendable>: Sendable {
    /// The action for a written chunk.
    enum Write: Sendable {
        /// None: the chunk is in memory, or the pipe is closed.
        case done
        /// Write the chunk to the file, or to a new one if nil, then call ``spilled(_:to:)``.
        case spill(File?, at: Int64)
    }

    /// The action for the reader.
    enum Read: Sendable {
        /// Return these chunks.
        case chunks([Data])
        /// Read these bytes of the file, then call ``loaded(_:)``.
        case load(File, at: Int64, count: Int)
        /// Wait until the state changes, then call ``next()`` again.
        case wait
        /// Return the end, or throw the error.
        case end((any Error)?)
    }

    private struct Spill {
        let file: File
        var written: Int64
        var read: Int64 = 0
    }
    private enum Phase {
        case open
        /// The writer is done; the remaining bytes can be read.
        case finished((any Error)?)
        /// The remaining bytes are dropped.
        case closed((any Error)?)
    }

    private let canSpill: Bool
    private let memoryLimit: Int
    private let loadSize: Int
    private let mergedSize: Int
    private let overhead: Int
    private var phase = Phase.open
    private var chunks: [Data] = []
    /// The approximate memory use of the chunks, overhead included.
    private var bytesInMemory = 0
    private var spill: Spill?
    /// True while the writer writes a chunk to the file.
    private var isSpilling = false
    private var hasReachedLimit = false

    /// - Parameters:
    ///   - canSpill: true to write chunks beyond the limit to a file, false to suspend the writer.
    ///   - memoryLimit: the number of bytes in memory, overhead included, at which the overflow starts.
    ///   - loadSize: the maximum number of bytes per read, unless one chunk is larger.
    ///   - mergedSize: small chunks are joined up to this size.
    ///   - overhead: the memory use of a chunk beyond its bytes: buffer header, array element and malloc padding.
    init(
        canSpill: Bool, memoryLimit: Int, loadSize: Int, mergedSize: Int = 16 << 10, overhead: Int = 256
    ) {
        self.canSpill = canSpill
        self.memoryLimit = memoryLimit
        self.loadSize = loadSize
        self.mergedSize = mergedSize
        self.overhead = overhead
    }

    /// Handles a new chunk.
    mutating func write(_ chunk: Data) -> Write {
        guard isOpen, !chunk.isEmpty else { return .done }
        if canSpill, spill != nil || bytesInMemory >= memoryLimit {
            isSpilling = true
            return .spill(spill?.file, at: spill?.written ?? 0)
        }
        keep(chunk)
        return .done
    }

    /// Keeps new chunks in memory, without spilling. A suspended writer may have some on their way.
    /// - Returns: true when the writer has to be suspended: while the pipe is full, or for good after its end.
    mutating func keep(_ chunks: [Data]) -> Bool {
        guard isOpen else { return true }
        for chunk in chunks where !chunk.isEmpty { keep(chunk) }
        return hasReachedLimit
    }

    /// True while the writer has to be suspended.
    var isFull: Bool { hasReachedLimit && isOpen }

    /// True until the end of the writer's or the reader's side.
    var isOpen: Bool {
        if case .open = phase { true } else { false }
    }

    private mutating func keep(_ chunk: Data) {
        let last = chunks.count - 1
        if last >= 0, chunks[last].count + chunk.count <= mergedSize {
            chunks[last].append(chunk)
            bytesInMemory += chunk.count
        } else {
            chunks.append(chunk)
            bytesInMemory += chunk.count + overhead
        }
        if !canSpill, bytesInMemory >= memoryLimit { hasReachedLimit = true }
    }

    /// Records that the writer wrote `count` bytes to the file; zero if that failed.
    mutating func spilled(_ count: Int, to file: File?) {
        isSpilling = false
        if case .closed = phase { return }
        if let file, spill == nil { spill = Spill(file: file, written: 0) }
        spill?.written += Int64(count)
        releaseEmptyFile()
    }

    /// Ends the writer's side; only the first call has an effect.
    mutating func finish(_ error: (any Error)?) {
        if case .open = phase { phase = .finished(error) }
    }

    /// Drops the unread bytes and ends the reader's side; only the first call has an effect.
    /// - Returns: the file, to be released after unlocking.
    @discardableResult
    mutating func close(_ error: (any Error)?) -> File? {
        if case .closed = phase { return nil }
        defer { spill = nil }
        phase = .closed(error)
        chunks = []
        bytesInMemory = 0
        return spill?.file
    }

    /// True while there is nothing to read and no end.
    var isWaiting: Bool {
        if !chunks.isEmpty || spill.map({ $0.read < $0.written }) ?? false { return false }
        return switch phase {
        case .open: true
        case .finished: isSpilling
        case .closed: false
        }
    }

    /// The reader's next action.
    mutating func next() -> Read {
        if case .closed(let error) = phase {
            phase = .closed(nil)
            return .end(error)
        }
        if !chunks.isEmpty { return .chunks(takeChunks()) }
        if let spill, spill.read < spill.written {
            return .load(spill.file, at: spill.read, count: Int(min(spill.written - spill.read, Int64(loadSize))))
        }
        guard !isWaiting, case .finished(let error) = phase else { return .wait }
        close(nil)
        return .end(error)
    }

    /// Removes at least one chunk, and otherwise at most `loadSize` bytes.
    ///
    /// The limit keeps memory bounded: removed chunks no longer count toward `bytesInMemory`.
    private mutating func takeChunks() -> [Data] {
        var size = 0
        let end = chunks.firstIndex { chunk in
            size += chunk.count
            return size > loadSize
        }
        let taken = Array(chunks.prefix(max(1, end ?? chunks.count)))
        chunks.removeFirst(taken.count)
        bytesInMemory -= taken.reduce(0) { $0 + $1.count + overhead }
        if bytesInMemory <= max(0, memoryLimit / 2) { hasReachedLimit = false }
        return taken
    }

    /// Records that the reader read `count` bytes of the file.
    mutating func loaded(_ count: Int) {
        spill?.read += Int64(count)
        releaseEmptyFile()
    }

    private mutating func releaseEmptyFile() {
        guard !isSpilling, let spill, spill.read >= spill.written else { return }
        self.spill = nil
    }
}

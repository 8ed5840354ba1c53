import Foundation

/// The numbers of unread bytes at which a ``ResponseBodyPipe`` holds its writer back, and at which it uses a file.
struct ResponseBodyLimits: Hashable, Sendable {
    /// The writer has to be suspended from here until half of them are read; nil if it cannot be suspended.
    var suspension: Int?
    /// Chunks beyond these bytes in memory go to a file; nil if a suspended writer stops soon.
    var spilling: Int?
}

/// The state machine of ``ResponseBodyPipe``: a FIFO of bytes in memory, followed by bytes in a spill file.
///
/// One writer and one reader; each may use the file while the other calls a method. Bytes in memory are always older
/// than bytes in the file, because no chunk goes to memory while a file exists. A file that is read to its end is
/// released, which frees its space.
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

    private let limits: ResponseBodyLimits
    private let loadSize: Int
    private let mergedSize: Int
    private let overhead: Int
    private var phase = Phase.open
    private var chunks: [Data] = []
    /// The approximate memory use of the chunks, overhead included.
    private(set) var bytesInMemory = 0
    private var spill: Spill?
    /// True while the writer writes a chunk to the file.
    private var isSpilling = false
    private var hasReachedLimit = false

    /// - Parameters:
    ///   - limits: in bytes, overhead included.
    ///   - loadSize: the maximum number of bytes per read, unless one chunk is larger.
    ///   - mergedSize: small chunks are joined up to this size.
    ///   - overhead: the memory use of a chunk beyond its bytes: buffer header, array element and malloc padding.
    init(_ limits: ResponseBodyLimits, loadSize: Int, mergedSize: Int = 16 << 10, overhead: Int = 256) {
        self.limits = limits
        self.loadSize = loadSize
        self.mergedSize = mergedSize
        self.overhead = overhead
    }

    /// Handles a new chunk; after the end it is dropped.
    mutating func write(_ chunk: Data) -> Write {
        guard isOpen, !chunk.isEmpty else { return .done }
        if spill != nil || limits.spilling.map({ bytesInMemory >= $0 }) ?? false {
            isSpilling = true
            return .spill(spill?.file, at: spill?.written ?? 0)
        }
        keep(chunk)
        return .done
    }

    /// True while the writer has to be suspended, which it need not obey at once.
    ///
    /// From reaching the limit until the reader has drained it to half of that, so that the writer is suspended and
    /// resumed rarely.
    var isFull: Bool { hasReachedLimit && isOpen }

    /// The number of unread bytes, in memory with their overhead.
    private var unread: Int64 { Int64(bytesInMemory) + (spill.map { $0.written - $0.read } ?? 0) }

    private mutating func updateLimit() {
        guard let limit = limits.suspension else { return }
        if unread <= max(0, limit / 2) { hasReachedLimit = false } else if unread >= limit { hasReachedLimit = true }
    }

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
        updateLimit()
    }

    /// Records that the writer wrote `count` bytes to the file; zero if that failed.
    mutating func spilled(_ count: Int, to file: File?) {
        isSpilling = false
        if case .closed = phase { return }
        if let file, spill == nil { spill = Spill(file: file, written: 0) }
        spill?.written += Int64(count)
        releaseEmptyFile()
        updateLimit()
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
        updateLimit()
        return taken
    }

    /// Records that the reader read `count` bytes of the file.
    mutating func loaded(_ count: Int) {
        spill?.read += Int64(count)
        releaseEmptyFile()
        updateLimit()
    }

    private mutating func releaseEmptyFile() {
        guard !isSpilling, let spill, spill.read >= spill.written else { return }
        self.spill = nil
    }
}

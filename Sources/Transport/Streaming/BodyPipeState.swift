import Foundation

/// The bytes between a network that never waits and a reader that takes its time, as a state machine: first in, first
/// out, a small part in memory and what is beyond that in a file.
///
/// One writer and one reader; each may be at work on the file while the other asks. What is in memory is older than what
/// is in the file, because nothing goes to memory while there is a file. A file that was read to its end is forgotten,
/// and its space with it.
struct BodyPipeState<File: Sendable>: Sendable {
    /// What to do with a chunk.
    enum Write: Sendable {
        /// Nothing; it is in memory, or nobody wants it any more.
        case done
        /// Write it to this place of the file, of a new one if nil, and then say ``spilled(_:to:)``.
        case spill(File?, at: Int64)
    }

    /// What the reader has to do.
    enum Read: Sendable {
        /// Take these.
        case chunks([Data])
        /// Read these bytes of the file, and then say ``loaded(_:)``.
        case load(File, at: Int64, count: Int)
        /// Ask again when something has changed.
        case wait
        /// There is nothing more; it failed, or else that was all.
        case end((any Error)?)
    }

    private struct Spill {
        let file: File
        var written: Int64
        var read: Int64 = 0
    }
    private enum Phase {
        case open
        /// No more will be written; what is there can be read.
        case finished((any Error)?)
        /// Nothing can be read any more.
        case closed((any Error)?)
    }

    private let memoryLimit: Int
    private let loadSize: Int
    private let mergedSize: Int
    private let overhead: Int
    private var phase = Phase.open
    private var chunks: [Data] = []
    /// What the chunks take, about, with their overhead.
    private var bytesInMemory = 0
    private var spill: Spill?
    /// A chunk is on its way to the file.
    private var isSpilling = false

    /// - Parameters:
    ///   - memoryLimit: from so many bytes in memory on, overhead included, chunks go to the file.
    ///   - loadSize: the most bytes that the reader gets at once, unless a single chunk is larger.
    ///   - mergedSize: chunks are put together until they have as many bytes.
    ///   - overhead: what a chunk takes in memory beside its bytes: a buffer's head, its place here, and what is lost
    ///     between buffers.
    init(memoryLimit: Int, loadSize: Int, mergedSize: Int = 16 << 10, overhead: Int = 256) {
        self.memoryLimit = memoryLimit
        self.loadSize = loadSize
        self.mergedSize = mergedSize
        self.overhead = overhead
    }

    /// A chunk has come.
    mutating func write(_ chunk: Data) -> Write {
        guard case .open = phase, !chunk.isEmpty else { return .done }
        guard spill != nil || bytesInMemory >= memoryLimit else {
            keep(chunk)
            return .done
        }
        isSpilling = true
        return .spill(spill?.file, at: spill?.written ?? 0)
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
    }

    /// A chunk is in the file; zero bytes when that failed.
    mutating func spilled(_ count: Int, to file: File?) {
        isSpilling = false
        if case .closed = phase { return }
        if let file, spill == nil { spill = Spill(file: file, written: 0) }
        spill?.written += Int64(count)
        forgetEmptyFile()
    }

    /// The writer is done. The first end counts.
    mutating func finish(_ error: (any Error)?) {
        if case .open = phase { phase = .finished(error) }
    }

    /// The reader goes away or is told to; what was not read is dropped. The first close counts.
    /// - Returns: the file that is not needed any more.
    @discardableResult
    mutating func close(_ error: (any Error)?) -> File? {
        if case .closed = phase { return nil }
        defer { spill = nil }
        phase = .closed(error)
        chunks = []
        bytesInMemory = 0
        return spill?.file
    }

    /// True while the reader can only wait.
    var isWaiting: Bool {
        if !chunks.isEmpty || spill.map({ $0.read < $0.written }) ?? false { return false }
        return switch phase {
        case .open: true
        case .finished: isSpilling
        case .closed: false
        }
    }

    /// What the reader has to do next.
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

    /// At least one. What the reader has is not counted any more, so it does not get all at once.
    private mutating func takeChunks() -> [Data] {
        var size = 0
        let end = chunks.firstIndex { chunk in
            size += chunk.count
            return size > loadSize
        }
        let taken = Array(chunks.prefix(max(1, end ?? chunks.count)))
        chunks.removeFirst(taken.count)
        bytesInMemory -= taken.reduce(0) { $0 + $1.count + overhead }
        return taken
    }

    /// The reader has so many bytes of the file.
    mutating func loaded(_ count: Int) {
        spill?.read += Int64(count)
        forgetEmptyFile()
    }

    private mutating func forgetEmptyFile() {
        guard !isSpilling, let spill, spill.read >= spill.written else { return }
        self.spill = nil
    }
}

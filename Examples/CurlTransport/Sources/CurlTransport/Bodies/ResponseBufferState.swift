import Foundation

/// The state machine of ``ResponseBuffer``: a bounded FIFO of chunks.
///
/// It is full from reaching the limit until the reader has drained it to half of that, so that the transfer is paused
/// and continued rarely.
///
/// ```
/// open     -finish-> finished
/// open     -close->  closed
/// finished -close, or read to the end-> closed
/// ```
struct ResponseBufferState: Sendable {
    /// The reader's next action.
    enum Read: Sendable {
        /// Return these chunks. If `continues`, the transfer may continue.
        case chunks([Data], continues: Bool)
        /// Wait until the state changes.
        case wait
        /// Return the end, or throw the error.
        case end((any Error)?)
    }

    private enum Phase {
        case open
        case finished((any Error)?)
        case closed((any Error)?)
    }

    /// The maximum number of bytes per read, unless one chunk is larger.
    private static let loadSize = 256 << 10

    private let limit: Int
    private var phase = Phase.open
    private var chunks: [Data] = []
    private var byteCount = 0
    private(set) var isFull = false

    init(limit: Int) { self.limit = max(1, limit) }

    mutating func write(_ written: [Data]) {
        guard case .open = phase else { return }
        var written = written[...]
        byteCount += written.reduce(0) { $0 + $1.count }
        // Small pieces are joined, so that a reader that lags has few chunks.
        if let last = chunks.last, let first = written.first, last.count + first.count <= ChunkPool.smallSize {
            chunks[chunks.count - 1].append(first)
            written.removeFirst()
        }
        chunks += written
        if byteCount >= limit { isFull = true }
    }

    /// Ends the writer's side; the reader gets the remaining bytes, then the error or the end.
    mutating func finish(_ error: (any Error)?) {
        if case .open = phase { phase = .finished(error) }
    }

    /// Ends the reader's side and drops the unread bytes. The reader gets the error, or the end.
    ///
    /// From then on the buffer is full, so that the event thread stops decoding before it gets the command to cancel.
    mutating func close(_ error: (any Error)?) {
        if case .closed = phase { return }
        phase = .closed(error)
        chunks = []
        byteCount = 0
        isFull = true
    }

    /// True while there is nothing to read and no end.
    var isWaiting: Bool {
        if case .open = phase { chunks.isEmpty } else { false }
    }

    mutating func read() -> Read {
        if case .closed(let error) = phase {
            phase = .closed(nil)
            return .end(error)
        }
        guard chunks.isEmpty else { return take() }
        guard case .finished(let error) = phase else { return .wait }
        close(nil)
        return .end(error)
    }

    private mutating func take() -> Read {
        var size = 0
        let end = chunks.firstIndex { chunk in
            size += chunk.count
            return size > Self.loadSize
        }
        let taken = Array(chunks.prefix(max(1, end ?? chunks.count)))
        chunks.removeFirst(taken.count)
        byteCount -= taken.reduce(0) { $0 + $1.count }
        guard isFull, byteCount <= limit / 2 else { return .chunks(taken, continues: false) }
        isFull = false
        return .chunks(taken, continues: true)
    }
}

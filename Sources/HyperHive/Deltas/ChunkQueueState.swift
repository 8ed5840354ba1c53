import Foundation

/// The state machine of ``ChunkQueue``: a bounded FIFO of chunks between one producer and one consumer.
///
/// ```
/// open     -finish-> finished
/// open     -close->  closed
/// finished -close->  closed
/// ```
struct ChunkQueueState: Sendable {
    /// The result of adding a chunk.
    enum Send: Hashable, Sendable {
        /// The producer may continue.
        case accepted
        /// The producer must wait until ``isFull`` is false.
        case full
        /// The consumer needs no more chunks.
        case closed
    }

    /// The result of taking chunks.
    enum Take: Sendable {
        /// At least one, the oldest first.
        case chunks([Data])
        /// The consumer must wait.
        case wait
        /// The end, or the error that ended the producer.
        case end((any Error)?)
    }

    private enum Phase {
        case open
        case finished((any Error)?)
        case closed
    }

    private let capacity: Int
    private var phase = Phase.open
    private var chunks: [Data] = []
    private var byteCount = 0

    /// - Parameter capacity: the number of bytes at which the queue is full.
    init(capacity: Int) { self.capacity = capacity }

    /// True while the producer has to wait.
    var isFull: Bool {
        if case .open = phase { byteCount >= capacity } else { false }
    }

    /// True while the consumer has to wait.
    var isWaiting: Bool {
        if case .open = phase { chunks.isEmpty } else { false }
    }

    /// Adds a chunk.
    mutating func send(_ chunk: Data) -> Send {
        guard case .open = phase else { return .closed }
        if !chunk.isEmpty { chunks.append(chunk) }
        byteCount += chunk.count
        return isFull ? .full : .accepted
    }

    /// Ends the producer's side. After an error the chunks are dropped, since a truncated response is of no use.
    mutating func finish(_ error: (any Error)?) {
        guard case .open = phase else { return }
        phase = .finished(error)
        if error != nil { drop() }
    }

    /// Removes all chunks.
    mutating func take() -> Take {
        guard chunks.isEmpty else {
            defer { drop() }
            return .chunks(chunks)
        }
        return switch phase {
        case .open: .wait
        case .finished(let error): .end(error)
        case .closed: .end(nil)
        }
    }

    /// Ends the consumer's side and drops the chunks.
    mutating func close() {
        phase = .closed
        drop()
    }

    private mutating func drop() {
        chunks = []
        byteCount = 0
    }
}

import Dispatch
import Foundation
import HTTPMessages
import Synchronization

/// Bounded FIFO buffer between the task that reads a request body and the event thread.
///
/// The task waits while the buffer is full, and so does the transfer while it is empty. A chunk that reaches the
/// declared length is held back until the body has ended: a longer body must not arrive as a complete request.
final class RequestBodyPump: Sendable {
    /// The result of ``read(into:)``.
    enum Read {
        case bytes(Int)
        /// No bytes yet; the pump calls `onBytes` when it has some.
        case starved
        case end
        case failed(any Error)
    }

    fileprivate enum End {
        case finished
        case failed(any Error)
    }
    fileprivate struct State {
        /// Incremented by ``restart()``, so that an old task has no effect.
        var generation = 0
        var isStarted = false
        var chunks: [Data] = []
        /// The index of the first chunk with unread bytes.
        var first = 0
        /// The number of read bytes of that chunk.
        var offset = 0
        var byteCount = 0
        var end: End?
        var isStarved = false
        var task: Task<Void, Never>?
        /// The suspended task, while the buffer is full.
        var writer: CheckedContinuation<Void, Never>?
    }

    private static let limit = 1 << 20
    private static let chunkSize = 256 << 10
    /// Reads bodies outside the cooperative pool: a reader may block on a disk.
    private static let executor = QueueExecutor(
        DispatchQueue(label: "patchbay.curl.bodies", attributes: .concurrent))

    private let body: HTTPBody
    private let onBytes: @Sendable () -> Void
    private let state = Mutex(State())

    init(_ body: HTTPBody, onBytes: @escaping @Sendable () -> Void) {
        self.body = body
        self.onBytes = onBytes
    }

    var length: Int64? { body.length }
    var isReplayable: Bool { body.isReplayable }

    /// Starts to read the body from its start, unless it has started already.
    func start() {
        let (generation, isStarted) = state.withLock { state in
            defer { state.isStarted = true }
            return (state.generation, state.isStarted)
        }
        guard !isStarted else { return }
        let task = Task(executorPreference: Self.executor) { [self] in
            do {
                try await pump(generation)
                finish(.finished, generation)
            } catch {
                finish(.failed(error), generation)
            }
        }
        let isObsolete = state.withLock { state in
            guard state.generation == generation else { return true }
            state.task = task
            return false
        }
        if isObsolete { task.cancel() }
    }

    /// Ends the reading and drops the unread bytes.
    func cancel() {
        let (task, writer) = state.withLock { state in
            defer { state = State(generation: state.generation + 1) }
            return (state.task, state.writer)
        }
        task?.cancel()
        writer?.resume()
    }

    /// Reads the body again from its start; it must be replayable.
    func restart() {
        cancel()
        start()
    }

    /// Copies bytes that were read to `buffer`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Read {
        let (result, writer) = state.withLock { state -> (Read, CheckedContinuation<Void, Never>?) in
            let count = state.take(into: buffer)
            if count > 0 { return (.bytes(count), state.byteCount < Self.limit ? state.writer.take() : nil) }
            switch state.end {
            case nil:
                state.isStarved = true
                return (.starved, nil)
            case .finished: return (.end, nil)
            case .failed(let error): return (.failed(error), nil)
            }
        }
        writer?.resume()
        return result
    }

    private func pump(_ generation: Int) async throws {
        var remaining = body.length
        var held: Data?
        for try await chunk in body.chunks(of: Self.chunkSize) {
            try Task.checkCancellation()
            if let held { await write(held, generation) }
            held = nil
            if let before = remaining {
                guard Int64(chunk.count) <= before else { throw HTTPMessageError.lengthMismatch }
                remaining = before - Int64(chunk.count)
            }
            if remaining == 0 { held = chunk } else { await write(chunk, generation) }
        }
        guard (remaining ?? 0) == 0 else { throw HTTPMessageError.lengthMismatch }
        if let held { await write(held, generation) }
    }

    private func write(_ chunk: Data, _ generation: Int) async {
        let wasStarved = state.withLock { state in
            guard state.generation == generation else { return false }
            state.chunks.append(chunk)
            state.byteCount += chunk.count
            defer { state.isStarved = false }
            return state.isStarved
        }
        if wasStarved { onBytes() }
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                guard state.generation == generation, state.byteCount >= Self.limit else { return true }
                state.writer = continuation
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    private func finish(_ end: End, _ generation: Int) {
        let wasStarved = state.withLock { state in
            guard state.generation == generation else { return false }
            state.end = end
            state.task = nil
            defer { state.isStarved = false }
            return state.isStarved
        }
        if wasStarved { onBytes() }
    }
}

extension RequestBodyPump.State {
    fileprivate mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < buffer.count, first < chunks.count {
            let chunk = chunks[first]
            let size = min(buffer.count - count, chunk.count - offset)
            let start = chunk.startIndex + offset
            chunk.copyBytes(
                to: UnsafeMutableRawBufferPointer(rebasing: buffer[count..<(count + size)]),
                from: start..<(start + size))
            count += size
            offset += size
            guard offset == chunk.count else { break }
            offset = 0
            first += 1
            if first == chunks.count { (chunks, first) = ([], 0) } else { chunks[first - 1] = Data() }
        }
        byteCount -= count
        return count
    }
}

/// A task executor on a dispatch queue instead of the cooperative pool.
private final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

import Dispatch
import Foundation
import Synchronization

/// Bounded FIFO of chunks between a task and a thread.
///
/// The task fills it and suspends while it is full; the thread empties it and blocks while it is empty. The task's
/// cancellation ends both sides. Use one producer and one consumer.
final class ChunkQueue: Sendable {
    private struct State {
        var machine: ChunkQueueState
        var producer: CheckedContinuation<Void, Never>?
        var isConsumerWaiting = false
    }

    private let state: Mutex<State>
    /// Signaled once for each wait of the consumer.
    private let changes = DispatchSemaphore(value: 0)

    /// - Parameter capacity: the number of bytes at which the producer is suspended; default 256 KiB.
    init(capacity: Int = 256 << 10) { state = Mutex(State(machine: ChunkQueueState(capacity: capacity))) }

    // MARK: Producer

    /// Sends all chunks of a body, then its end or its error. Returns early when the consumer has closed the queue.
    func send<Body: AsyncSequence>(contentsOf body: Body) async where Body.Element == Data {
        await withTaskCancellationHandler {
            do {
                for try await chunk in body {
                    guard await send(chunk) else { return }
                }
                // A cancelled sequence may end as if it were complete.
                finish(Task.isCancelled ? CancellationError() : nil)
            } catch {
                finish(error)
            }
        } onCancel: {
            finish(CancellationError())
        }
    }

    /// Sends a chunk.
    /// - Returns: false when the queue is finished or closed.
    func send(_ chunk: Data) async -> Bool {
        switch update({ $0.send(chunk) }) {
        case .accepted: return true
        case .closed: return false
        case .full:
            await withCheckedContinuation { continuation in
                let isFull = state.withLock { state in
                    // Check again under the lock: the consumer found no continuation to resume.
                    if state.machine.isFull { state.producer = continuation }
                    return state.machine.isFull
                }
                if !isFull { continuation.resume() }
            }
            return true
        }
    }

    /// Ends the producer's side; only the first call has an effect.
    func finish(_ error: (any Error)?) { update { $0.finish(error) } }

    // MARK: Consumer

    /// Blocks until there are chunks.
    /// - Returns: at least one; nil at the end.
    /// - Throws: the error that ended the producer.
    func take() throws -> [Data]? {
        while true {
            switch update({ $0.take() }) {
            case .chunks(let chunks): return chunks
            case .wait:
                let mustWait = state.withLock { state in
                    // Check again under the lock: the producer found no consumer to signal.
                    guard state.machine.isWaiting else { return false }
                    state.isConsumerWaiting = true
                    return true
                }
                if mustWait { changes.wait() }
            case .end(let error):
                if let error { throw error }
                return nil
            }
        }
    }

    /// Returns a function that blocks until the next chunk; nil at the end.
    func reader() -> () throws -> Data? {
        var chunks: [Data] = []
        return { [self] in
            if chunks.isEmpty { chunks = try take()?.reversed() ?? [] }
            return chunks.popLast()
        }
    }

    /// Ends the consumer's side. The producer gets false from ``send(_:)``.
    func close() { update { $0.close() } }

    /// Changes the state, then wakes the side that can continue.
    @discardableResult
    private func update<Result: Sendable>(_ change: (inout ChunkQueueState) -> Result) -> Result {
        let (result, producer, mustSignal) = state.withLock { state in
            let result = change(&state.machine)
            let producer = state.machine.isFull ? nil : state.producer.take()
            let mustSignal = state.isConsumerWaiting && !state.machine.isWaiting
            if mustSignal { state.isConsumerWaiting = false }
            return (result, producer, mustSignal)
        }
        producer?.resume()
        if mustSignal { changes.signal() }
        return result
    }
}

import Coordination
public import Foundation
public import HTTPMessages
import Synchronization

/// A FIFO buffer between a transport, whose network thread never blocks, and the reader of a streamed response.
///
/// For transports of one's own. Thread-safe; call ``write(_:)`` from one thread or serial queue.
///
/// ```swift
/// let pipe = ResponseBodyPipe(memoryLimit: 4 << 20) { queue.async { connection.resume() } }
/// // On the queue, for each piece that the network delivers, and at its end:
/// if pipe.write([piece]) { connection.pause() }
/// pipe.finish(nil)
/// // In `stream(_:observer:)`, once the head has arrived:
/// return pipe.response(head, to: request) { queue.async { connection.cancel() } }
/// ```
public final class ResponseBodyPipe: Sendable {
    // Chunks beyond the memory limit go to a temporary file, which is read on a thread of the concurrent pool, or the
    // writer is suspended: see `ResponseBodyOverflow`. Files are read and written without holding the lock.

    private struct State {
        var machine: ResponseBodyPipeState<ScratchFile>
        var readers: [CheckedContinuation<Void, Never>] = []
        var onFlowChange: (@Sendable () -> Void)?
        var onRoom: (@Sendable () -> Void)?
    }

    let overflow: ResponseBodyOverflow
    private let state: Mutex<State>

    /// Creates an empty pipe.
    /// - Parameters:
    ///   - memoryLimit: the approximate number of unread bytes at which the transfer has to pause; a few MiB.
    ///   - onRoom: called on the reader's thread when half of the limit is free again, to continue the transfer. That
    ///     may be before ``write(_:)`` has returned: continue on the queue that writes, so that the pause comes first.
    ///     Released at the end of the body.
    public convenience init(memoryLimit: Int, onRoom: @escaping @Sendable () -> Void) {
        self.init(.suspend, memoryLimit: memoryLimit, onRoom: onRoom)
    }

    /// Creates an empty pipe.
    /// - Parameters:
    ///   - overflow: what happens to chunks beyond the memory limit.
    ///   - memoryLimit: the number of bytes in memory at which the overflow starts.
    ///   - loadSize: the maximum number of bytes that one call of ``next(isolation:)`` returns, unless one chunk is
    ///     larger.
    init(
        _ overflow: ResponseBodyOverflow, memoryLimit: Int, loadSize: Int = 256 << 10,
        onRoom: (@Sendable () -> Void)? = nil
    ) {
        self.overflow = overflow
        state = Mutex(
            State(
                machine: ResponseBodyPipeState(
                    canSpill: overflow != .suspend, memoryLimit: memoryLimit, loadSize: loadSize), onRoom: onRoom))
    }

    /// True while the writer has to be suspended; always false with ``ResponseBodyOverflow/spill(in:)``.
    var isFull: Bool { state.withLock(\.machine.isFull) }

    /// Calls `action` after each change of ``isFull``, on the thread of the change, until the pipe ends.
    ///
    /// Calls of different threads may overtake each other, so `action` has to look at ``isFull``.
    func onFlowChange(_ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.machine.isOpen { state.onFlowChange = action }
        }
    }

    /// Appends chunks; after the end they are dropped. The reader is woken once for all of them.
    /// - Returns: true when the transfer has to pause: until `onRoom` is called, or for good when the reader has left.
    public func write(_ chunks: [Data]) -> Bool { update { $0.keep(chunks) } }

    /// Appends a chunk; call it from one thread at a time.
    /// - Throws: `POSIXError` when the chunk has to be spilled and the file cannot be written.
    func write(_ chunk: Data) throws {
        guard case .spill(let known, let offset) = update({ $0.write(chunk) }),
            case .spill(let directory) = overflow
        else { return }
        do {
            let file = try known ?? ScratchFile(in: directory)
            try file.write(chunk, at: offset)
            update { $0.spilled(chunk.count, to: file) }
        } catch {
            update { $0.spilled(0, to: nil) }
            throw error
        }
    }

    /// Ends the writer's side; only the first call counts. The reader gets the remaining bytes, then the error or the
    /// end.
    public func finish(_ error: (any Error)?) { update { $0.finish(error) } }

    /// The response whose body is read from the pipe; call it once.
    ///
    /// Cancellation of the reading task throws `TransportError.cancelled(request)`.
    /// - Parameter endTransfer: called once, on any thread, when the body is released or its reading is cancelled, also
    ///   after its end.
    public func response(
        _ head: HTTPResponseHead, to request: HTTPRequest, endTransfer: @escaping @Sendable () -> Void
    ) -> HTTPResponseStream {
        HTTPResponseStream(
            head: head,
            body: PipedResponseBody(self, cancellation: .cancelled(request, head: head), endTransfer: endTransfer))
    }

    /// Ends the reader's side and drops the unread bytes. The reader gets the error, or the end.
    func close(_ error: (any Error)?) { update { $0.close(error) } }

    /// Waits for the next chunks, at least one; nil at the end. Stays on the caller's executor.
    /// - Throws: the error of ``finish(_:)`` or ``close(_:)``, once; `POSIXError` when the file cannot be read.
    func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> [Data]? {
        while true {
            switch update({ $0.next() }) {
            case .chunks(let chunks):
                return chunks
            case .load(let file, let offset, let count):
                let data = try await Self.read(count, at: offset, of: file)
                state.withLock { $0.machine.loaded(count) }
                return [data]
            case .wait:
                await wait(isolation: actor)
            case .end(let error):
                if let error { throw error }
                return nil
            }
        }
    }

    /// Reads away from the reader's actor, which may be the main one.
    @concurrent private static func read(_ count: Int, at offset: Int64, of file: ScratchFile) async throws -> Data {
        try file.read(count, at: offset)
    }

    private func wait(isolation actor: isolated (any Actor)?) async {
        await withCheckedContinuation(isolation: actor) { continuation in
            let isReady = state.withLock { state in
                // Check again under the lock: a write since `next()` found no continuation to resume.
                guard state.machine.isWaiting else { return true }
                state.readers.append(continuation)
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    /// The calls that follow a change, without the lock.
    private struct Effects {
        var readers: [CheckedContinuation<Void, Never>] = []
        var onFlowChange: (@Sendable () -> Void)?
        var onRoom: (@Sendable () -> Void)?
        /// Closures that are no longer needed; their release may run any code.
        var released: [@Sendable () -> Void] = []
    }

    @discardableResult
    private func update<Result: Sendable>(_ change: (inout ResponseBodyPipeState<ScratchFile>) -> Result) -> Result {
        let (result, effects) = state.withLock { state in
            let wasFull = state.machine.isFull
            let result = change(&state.machine)
            var effects = Effects()
            if state.machine.isFull != wasFull {
                effects.onFlowChange = state.onFlowChange
                if wasFull, state.machine.isOpen { effects.onRoom = state.onRoom }
            }
            if !state.machine.isOpen {
                effects.released = [state.onFlowChange.take(), state.onRoom.take()].compactMap(\.self)
            }
            if !state.machine.isWaiting { swap(&effects.readers, &state.readers) }
            return (result, effects)
        }
        for reader in effects.readers { reader.resume() }
        effects.onFlowChange?()
        effects.onRoom?()
        return result
    }
}

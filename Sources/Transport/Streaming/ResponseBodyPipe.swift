import Foundation
import Synchronization

/// A FIFO buffer between a writer that never blocks and a reader that may be slow.
///
/// Chunks beyond the memory limit go to a temporary file, which is read on the reader's thread, or the writer is
/// suspended: see ``ResponseBodyOverflow``. Files are read and written without holding the lock.
final class ResponseBodyPipe: Sendable {
    private struct State {
        var machine: ResponseBodyPipeState<ScratchFile>
        var readers: [CheckedContinuation<Void, Never>] = []
        var onFlowChange: (@Sendable () -> Void)?
    }

    let overflow: ResponseBodyOverflow
    private let state: Mutex<State>
    private let directory: URL

    /// Creates an empty pipe.
    /// - Parameters:
    ///   - overflow: what happens to chunks beyond the memory limit.
    ///   - directory: the folder of the spill file, which is created on demand.
    ///   - memoryLimit: the number of bytes in memory at which the overflow starts.
    ///   - loadSize: the maximum number of bytes that one call of ``next()`` returns, unless one chunk is larger.
    init(
        _ overflow: ResponseBodyOverflow = .spill, spillingTo directory: URL, memoryLimit: Int,
        loadSize: Int = 256 << 10
    ) {
        self.overflow = overflow
        self.directory = directory
        state = Mutex(
            State(
                machine: ResponseBodyPipeState(overflow: overflow, memoryLimit: memoryLimit, loadSize: loadSize)))
    }

    /// True while the writer has to be suspended; always false with ``ResponseBodyOverflow/spill``.
    var isFull: Bool { state.withLock(\.machine.isFull) }

    /// Calls `action` after each change of ``isFull``, on the thread of the change, until the pipe ends.
    ///
    /// Calls of different threads may overtake each other, so `action` has to look at ``isFull``.
    func onFlowChange(_ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.machine.isOpen { state.onFlowChange = action }
        }
    }

    /// Appends a chunk; call it from one thread at a time.
    /// - Throws: `POSIXError` when the chunk has to be spilled and the file cannot be written.
    func write(_ chunk: Data) throws {
        guard case .spill(let known, let offset) = update({ $0.write(chunk) }) else { return }
        do {
            let file = try known ?? ScratchFile(in: directory)
            try file.write(chunk, at: offset)
            update { $0.spilled(chunk.count, to: file) }
        } catch {
            update { $0.spilled(0, to: nil) }
            throw error
        }
    }

    /// Ends the writer's side. The reader gets the remaining bytes, then the error, if any.
    func finish(_ error: (any Error)?) { update { $0.finish(error) } }

    /// Ends the reader's side and drops the unread bytes. The reader gets the error, or the end.
    func close(_ error: (any Error)?) { update { $0.close(error) } }

    /// Waits for the next chunks, at least one; nil at the end.
    /// - Throws: the error of ``finish(_:)`` or ``close(_:)``, once; `POSIXError` when the file cannot be read.
    func next() async throws -> [Data]? {
        while true {
            switch update({ $0.next() }) {
            case .chunks(let chunks):
                return chunks
            case .load(let file, let offset, let count):
                let data = try file.read(count, at: offset)
                state.withLock { $0.machine.loaded(count) }
                return [data]
            case .wait:
                await wait()
            case .end(let error):
                if let error { throw error }
                return nil
            }
        }
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                // Check again under the lock: a write since `next()` found no continuation to resume.
                guard state.machine.isWaiting else { return true }
                state.readers.append(continuation)
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    @discardableResult
    private func update<Result: Sendable>(_ change: (inout ResponseBodyPipeState<ScratchFile>) -> Result) -> Result {
        let (result, readers, onFlowChange) = state.withLock { state in
            let wasFull = state.machine.isFull
            let result = change(&state.machine)
            let onFlowChange = state.machine.isFull == wasFull ? nil : state.onFlowChange
            if !state.machine.isOpen { state.onFlowChange = nil }
            if state.machine.isWaiting { return (result, [CheckedContinuation<Void, Never>](), onFlowChange) }
            defer { state.readers = [] }
            return (result, state.readers, onFlowChange)
        }
        for reader in readers { reader.resume() }
        onFlowChange?()
        return result
    }
}

import Foundation
import Synchronization

/// Bounded FIFO buffer between the event thread and the reader of a streamed response.
///
/// The event thread never blocks on it.
final class ResponseBuffer: Sendable {
    private struct State {
        var machine: ResponseBufferState
        var readers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let onRoom: @Sendable () -> Void

    /// - Parameter onRoom: called when a full buffer has room again.
    init(limit: Int, onRoom: @escaping @Sendable () -> Void) {
        state = Mutex(State(machine: ResponseBufferState(limit: limit)))
        self.onRoom = onRoom
    }

    /// Appends chunks.
    /// - Returns: true when the transfer has to pause: until `onRoom` is called, or for good after ``close(_:)``.
    func write(_ chunks: [Data]) -> Bool {
        update {
            $0.write(chunks)
            return $0.isFull
        }
    }

    /// Ends the writer's side. The reader gets the remaining bytes, then the error or the end.
    func finish(_ error: (any Error)?) { update { $0.finish(error) } }

    /// Ends the reader's side and drops the unread bytes. The reader gets the error, or the end.
    func close(_ error: (any Error)?) { update { $0.close(error) } }

    /// Waits for the next chunks, at least one; nil at the end. Stays on the caller's executor.
    /// - Throws: the error of ``finish(_:)`` or ``close(_:)``, once.
    func next(isolation actor: isolated (any Actor)?) async throws -> [Data]? {
        while true {
            switch update({ $0.read() }) {
            case .chunks(let chunks, let continues):
                if continues { onRoom() }
                return chunks
            case .wait:
                await wait(isolation: actor)
            case .end(let error):
                if let error { throw error }
                return nil
            }
        }
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

    @discardableResult
    private func update<Result>(_ change: (inout ResponseBufferState) -> sending Result) -> sending Result {
        let (result, readers) = state.withLock { state in
            let result = change(&state.machine)
            if state.machine.isWaiting { return (result, [CheckedContinuation<Void, Never>]()) }
            defer { state.readers = [] }
            return (result, state.readers)
        }
        for reader in readers { reader.resume() }
        return result
    }
}

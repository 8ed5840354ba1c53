import Foundation
import Synchronization

/// Takes a body's bytes from a network that must not wait to a reader who may.
///
/// The writer's methods never wait for the reader: what is too much for memory goes to a file. Files are read on the
/// reader's own thread. No lock is held meanwhile.
final class BodyPipe: Sendable {
    private struct State {
        var machine: BodyPipeState<SpillFile>
        var readers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let directory: URL

    /// An empty pipe.
    /// - Parameters:
    ///   - directory: where the file is made, if one is needed.
    ///   - memoryLimit: from so many bytes in memory on, the file is used.
    init(spillingTo directory: URL, memoryLimit: Int, loadSize: Int = 256 << 10) {
        self.directory = directory
        state = Mutex(State(machine: BodyPipeState(memoryLimit: memoryLimit, loadSize: loadSize)))
    }

    /// Takes a chunk. For one thread at a time.
    /// - Throws: `POSIXError` when the chunk is too much for memory and cannot be written to the file.
    func write(_ chunk: Data) throws {
        guard case .spill(let known, let offset) = update({ $0.write(chunk) }) else { return }
        do {
            let file = try known ?? SpillFile(in: directory)
            try file.write(chunk, at: offset)
            update { $0.spilled(chunk.count, to: file) }
        } catch {
            update { $0.spilled(0, to: nil) }
            throw error
        }
    }

    /// No more will be written, because that was all or because of an error, which reaches the reader after the bytes.
    func finish(_ error: (any Error)?) { update { $0.finish(error) } }

    /// Drops what was not read. A reader who waits, or asks later, gets the error, or the end if there is none.
    func close(_ error: (any Error)?) { update { $0.close(error) } }

    /// The next chunks, at least one; nil at the end.
    /// - Throws: what the writer or ``close(_:)`` said, once; `POSIXError` when the file cannot be read.
    func next() async throws -> [Data]? {
        while true {
            switch state.withLock({ $0.machine.next() }) {
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
            let mayGoOn = state.withLock { state in
                // Whoever came in between found nobody to wake.
                guard state.machine.isWaiting else { return true }
                state.readers.append(continuation)
                return false
            }
            if mayGoOn { continuation.resume() }
        }
    }

    @discardableResult
    private func update<Result: Sendable>(_ change: (inout BodyPipeState<SpillFile>) -> Result) -> Result {
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

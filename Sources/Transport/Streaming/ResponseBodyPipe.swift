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
    // For engines that cannot be held back, `SpillingWriter` writes chunks beyond a limit to a temporary file, which is
    // read on a thread of the concurrent pool. Files are read and written without holding the lock.

    private struct State {
        var machine: ResponseBodyPipeState<ScratchFile>
        var readers: [Promise<Void>] = []
        var onRoom: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    /// Creates an empty pipe.
    /// - Parameters:
    ///   - memoryLimit: the approximate number of unread bytes at which the transfer has to pause; a few MiB.
    ///   - onRoom: called on the reader's thread when half of the limit is free again, to continue the transfer. That
    ///     may be before ``write(_:)`` has returned: continue on the queue that writes, so that the pause comes first.
    ///     Released at the end of the body.
    public convenience init(memoryLimit: Int, onRoom: @escaping @Sendable () -> Void) {
        self.init(ResponseBodyLimits(suspension: memoryLimit))
        self.onRoom(onRoom)
    }

    /// Creates an empty pipe.
    /// - Parameter loadSize: the maximum number of bytes that one call of ``next(isolation:)`` returns, unless one
    ///   chunk is larger.
    init(_ limits: ResponseBodyLimits, loadSize: Int = 256 << 10) {
        state = Mutex(State(machine: ResponseBodyPipeState(limits, loadSize: loadSize)))
    }

    /// True while the transfer has to pause.
    var isFull: Bool { state.withLock(\.machine.isFull) }

    /// The bytes in memory, with their overhead.
    var bytesInMemory: Int { state.withLock(\.machine.bytesInMemory) }

    /// Sets what is called when there is room again, until the end of the body.
    func onRoom(_ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.machine.isOpen { state.onRoom = action }
        }
    }

    /// Appends chunks; after the end they are dropped. The reader is woken once for all of them.
    /// - Returns: true when the transfer has to pause: until `onRoom` is called, or for good when the reader has left.
    public func write(_ chunks: [Data]) -> Bool {
        update { machine in
            for chunk in chunks { _ = machine.write(chunk) }
            return machine.isFull || !machine.isOpen
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
                update { $0.loaded(count) }
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
        let isReady = Promise<Void>()
        state.withLock { state in
            // Check again under the lock: a write since `next()` found no reader to wake.
            if state.machine.isWaiting { state.readers.append(isReady) } else { isReady.fulfill(()) }
        }
        // A cancelled reader closes the pipe.
        await isReady.value(isolation: actor) {}
    }

    /// Changes the state, then wakes the reader and the writer if they can continue.
    @discardableResult
    func update<Result: Sendable>(_ change: (inout ResponseBodyPipeState<ScratchFile>) -> Result) -> Result {
        let (result, readers, onRoom, released) = state.withLock { state in
            let wasFull = state.machine.isFull
            let result = change(&state.machine)
            var readers: [Promise<Void>] = []
            if !state.machine.isWaiting { swap(&readers, &state.readers) }
            let isOpen = state.machine.isOpen
            let onRoom = wasFull && !state.machine.isFull && isOpen ? state.onRoom : nil
            // Released after unlocking, since that may run any code.
            return (result, readers, onRoom, isOpen ? nil : state.onRoom.take())
        }
        for reader in readers { reader.fulfill(()) }
        onRoom?()
        _ = released
        return result
    }
}

import Foundation
import Synchronization

/// The reader's end of a ``ResponseBodyPipe``: a sequence of chunks that owns the transfer.
///
/// The transfer ends when the sequence and its iterator are released, or when the reading task is cancelled.
struct PipedResponseBody: AsyncSequence, Sendable {
    /// Ends the transfer when the last owner releases it.
    fileprivate final class Lease: Sendable {
        let pipe: ResponseBodyPipe
        private let cancellation: TransportError
        private let endTransfer: Mutex<(@Sendable () -> Void)?>

        init(_ pipe: ResponseBodyPipe, cancellation: TransportError, endTransfer: @escaping @Sendable () -> Void) {
            self.pipe = pipe
            self.cancellation = cancellation
            self.endTransfer = Mutex(endTransfer)
        }

        deinit { end() }

        func end() {
            pipe.close(cancellation)
            endTransfer.withLock { $0.take() }?()
        }
    }

    struct Iterator: AsyncIteratorProtocol {
        private var lease: Lease?
        /// Chunks taken from the pipe, in reverse order.
        private var chunks: [Data] = []

        fileprivate init(lease: Lease) { self.lease = lease }

        mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        /// Stays on the reader's executor while there are chunks.
        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            guard let lease else { return nil }
            // After cancellation the pipe's error comes before chunks that were taken already.
            if Task.isCancelled { chunks = [] }
            if let chunk = chunks.popLast() { return chunk }
            do {
                let next = try await withTaskCancellationHandler {
                    try await lease.pipe.next(isolation: actor)
                } onCancel: {
                    lease.end()
                }
                if let next {
                    chunks = next.reversed()
                    return chunks.popLast()
                }
            } catch {
                self.lease = nil
                throw error
            }
            self.lease = nil
            return nil
        }
    }

    private let lease: Lease

    /// - Parameters:
    ///   - cancellation: the error after cancellation of the reading task.
    ///   - endTransfer: called once, when the body is released or cancelled, also after its end.
    init(_ pipe: ResponseBodyPipe, cancellation: TransportError, endTransfer: @escaping @Sendable () -> Void) {
        lease = Lease(pipe, cancellation: cancellation, endTransfer: endTransfer)
    }

    func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }
}

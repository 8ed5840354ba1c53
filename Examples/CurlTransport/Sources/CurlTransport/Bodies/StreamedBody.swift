import Foundation
import Transport

/// The reader's end of a ``ResponseBuffer``: a sequence of chunks that owns the transfer.
///
/// The transfer ends when the sequence and its iterator are released, or when the reading task is cancelled.
struct StreamedBody: AsyncSequence, Sendable {
    /// Ends the transfer when the last owner releases it.
    fileprivate final class Lease: Sendable {
        let buffer: ResponseBuffer
        private let cancellation: TransportError
        private let endTransfer: @Sendable () -> Void

        init(_ buffer: ResponseBuffer, _ cancellation: TransportError, _ endTransfer: @escaping @Sendable () -> Void) {
            self.buffer = buffer
            self.cancellation = cancellation
            self.endTransfer = endTransfer
        }

        deinit { end() }

        func end() {
            buffer.close(cancellation)
            endTransfer()
        }
    }

    struct Iterator: AsyncIteratorProtocol {
        private var lease: Lease?
        /// Chunks taken from the buffer, in reverse order.
        private var chunks: [Data] = []

        fileprivate init(_ lease: Lease) { self.lease = lease }

        mutating func next() async throws -> Data? { try await next(isolation: nil) }

        /// Stays on the reader's executor while there are chunks.
        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            guard let lease else { return nil }
            // After cancellation the buffer's error comes before chunks that were taken already.
            if Task.isCancelled { chunks = [] }
            if let chunk = chunks.popLast() { return chunk }
            do {
                let next = try await withTaskCancellationHandler {
                    try await lease.buffer.next(isolation: actor)
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
    ///   - endTransfer: called when the body is released or cancelled, also after its end.
    init(_ buffer: ResponseBuffer, cancellation: TransportError, endTransfer: @escaping @Sendable () -> Void) {
        lease = Lease(buffer, cancellation, endTransfer)
    }

    func makeAsyncIterator() -> Iterator { Iterator(lease) }
}

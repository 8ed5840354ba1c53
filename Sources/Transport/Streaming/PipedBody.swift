import Foundation

/// What a reader has of a body that comes through a pipe: its chunks, and the right to end it all.
///
/// When the sequence and its iterator are gone, or the task that reads is cancelled, the transfer ends.
struct PipedBody: AsyncSequence, Sendable {
    /// Ends the transfer with its last owner.
    fileprivate final class Lease: Sendable {
        let pipe: BodyPipe
        private let cancellation: TransportError
        private let endTransfer: @Sendable () -> Void

        init(_ pipe: BodyPipe, cancellation: TransportError, endTransfer: @escaping @Sendable () -> Void) {
            self.pipe = pipe
            self.cancellation = cancellation
            self.endTransfer = endTransfer
        }

        deinit { end() }

        func end() {
            pipe.close(cancellation)
            endTransfer()
        }
    }

    struct Iterator: AsyncIteratorProtocol {
        private var lease: Lease?
        /// What was taken from the pipe, the next chunk last.
        private var chunks: [Data] = []

        fileprivate init(lease: Lease) { self.lease = lease }

        mutating func next() async throws -> Data? {
            guard let lease else { return nil }
            // A pipe that was closed says so before anything else.
            if Task.isCancelled { chunks = [] }
            if let chunk = chunks.popLast() { return chunk }
            do {
                let next = try await withTaskCancellationHandler {
                    try await lease.pipe.next()
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
    ///   - cancellation: what a reader gets whose task was cancelled.
    ///   - endTransfer: called when nobody reads any more, also after the end.
    init(_ pipe: BodyPipe, cancellation: TransportError, endTransfer: @escaping @Sendable () -> Void) {
        lease = Lease(pipe, cancellation: cancellation, endTransfer: endTransfer)
    }

    func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }
}

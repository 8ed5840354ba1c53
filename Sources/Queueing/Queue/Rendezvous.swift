import Foundation
import HTTPMessages
import Synchronization

/// Rendezvous channel: a body is read in the producer's task and consumed in another one, a chunk at a time.
///
/// The body can therefore be ended without the help of its consumer.
final class Rendezvous: Sendable {
    private typealias State = RendezvousState<CheckedContinuation<Data?, any Error>, CheckedContinuation<Bool, Never>>

    private let state = Mutex(State())

    // MARK: Producer

    /// Delivers the chunks of a body on demand, until its end or until the task is cancelled.
    /// - Throws: the error of the body; `CancellationError`.
    func produce(_ chunks: HTTPBodyChunks) async throws {
        var iterator = chunks.makeAsyncIterator()
        while await waitForDemand() {
            guard let chunk = try await iterator.next() else { break }
            state.withLock { $0.deliver() }?.resume(returning: chunk)
        }
        // Some sequences return nil instead of throwing when they are cancelled.
        try Task.checkCancellation()
    }

    /// - Returns: false if the task is cancelled.
    private func waitForDemand() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasDemand = state.withLock { $0.produce(continuation) }
                if let hasDemand { continuation.resume(returning: hasDemand) }
            }
        } onCancel: {
            state.withLock { $0.cancelProducer() }?.resume(returning: false)
        }
    }

    /// Ends the body.
    func finish(_ error: (any Error)?) {
        let consumer = state.withLock { $0.finish(error) }
        if let error { consumer?.resume(throwing: error) } else { consumer?.resume(returning: nil) }
    }

    // MARK: Consumer

    /// Returns the next chunk, or nil at the end.
    /// - Throws: the error of ``finish(_:)``, once.
    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            switch state.withLock({ $0.consume(continuation) }) {
            case .wait(let producer): producer?.resume(returning: true)
            case .end(let error?): continuation.resume(throwing: error)
            case .end(nil): continuation.resume(returning: nil)
            }
        }
    }
}

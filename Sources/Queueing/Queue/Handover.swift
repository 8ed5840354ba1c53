import Foundation
import HTTPMessages
import Synchronization

/// A body that is got in one task and read in another, so that it can be ended without its reader's help.
final class Handover: Sendable {
    private typealias State = HandoverState<CheckedContinuation<Data?, any Error>, CheckedContinuation<Bool, Never>>

    private let state = Mutex(State())

    // MARK: The worker

    /// Gives the chunks of a body to whoever asks, until its end or until the task is cancelled.
    /// - Throws: what the body throws; `CancellationError`.
    func serve(_ chunks: HTTPBodyChunks) async throws {
        var iterator = chunks.makeAsyncIterator()
        while await isAsked() {
            guard let chunk = try await iterator.next() else { break }
            state.withLock { $0.give() }?.resume(returning: chunk)
        }
        // There are bodies that just end when they are cancelled.
        try Task.checkCancellation()
    }

    /// False when the task is cancelled.
    private func isAsked() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAsked = state.withLock { $0.work(continuation) }
                if let isAsked { continuation.resume(returning: isAsked) }
            }
        } onCancel: {
            state.withLock { $0.stop() }?.resume(returning: false)
        }
    }

    /// There is nothing more.
    func end(_ error: (any Error)?) {
        let reader = state.withLock { $0.end(error) }
        if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
    }

    // MARK: The reader

    /// The next chunk, as soon as the worker has it; nil at the end.
    /// - Throws: what the worker has ended with, once.
    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            switch state.withLock({ $0.ask(continuation) }) {
            case .wait(let worker): worker?.resume(returning: true)
            case .end(let error?): continuation.resume(throwing: error)
            case .end(nil): continuation.resume(returning: nil)
            }
        }
    }
}

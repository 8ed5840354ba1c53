package import Foundation
package import HTTPMessages
import Synchronization

/// A response body that reports its end once to a layer, which releases a slot or records the outcome.
///
/// The underlying body is released before the report.
package struct TrackedResponseBody: AsyncSequence, Sendable {
    /// How a body ended.
    package enum Completion: Sendable {
        /// The reader reached the end.
        case finished
        /// The body failed or was cancelled.
        case failed(any Error)
        /// The reader released the body before its end.
        case abandoned
    }

    /// Shared by the sequence and its iterator; calls `onEnd` at the end, or when the last owner releases it.
    private final class Tracker: Sendable {
        private struct State {
            /// The body, until an iterator is made.
            var chunks: HTTPBodyChunks?
            var onEnd: (@Sendable (Completion) -> Void)?
        }
        private let state: Mutex<State>

        init(_ chunks: HTTPBodyChunks, _ onEnd: @escaping @Sendable (Completion) -> Void) {
            state = Mutex(State(chunks: chunks, onEnd: onEnd))
        }

        deinit { end(.abandoned) }

        func open() -> HTTPBodyChunks.Iterator? { state.withLock { $0.chunks.take() }?.makeAsyncIterator() }

        func end(_ completion: Completion) {
            // Release the body after unlocking, since that may call out, and before the report.
            let (chunks, onEnd) = state.withLock { ($0.chunks.take(), $0.onEnd.take()) }
            _ = consume chunks
            onEnd?(completion)
        }
    }

    /// Reads the body and reports its end.
    package final class Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBodyChunks.Iterator?
        private let tracker: Tracker
        private let mapError: @Sendable (any Error) -> any Error

        fileprivate init(_ body: TrackedResponseBody) {
            chunks = body.tracker.open()
            tracker = body.tracker
            mapError = body.mapError
        }

        deinit { end(.abandoned) }

        /// The next chunk; nil at the end.
        /// - Throws: the body's error, transformed by `mapError`.
        package func next() async throws -> Data? {
            guard var reading = chunks.take() else { return nil }
            do {
                if let chunk = try await reading.next() {
                    chunks = reading
                    return chunk
                }
            } catch {
                _ = consume reading
                let error = mapError(error)
                end(.failed(error))
                throw error
            }
            _ = consume reading
            end(.finished)
            return nil
        }

        private func end(_ completion: Completion) {
            chunks = nil
            tracker.end(completion)
        }
    }

    private let tracker: Tracker
    private let mapError: @Sendable (any Error) -> any Error

    fileprivate init(
        _ chunks: HTTPBodyChunks, mapError: @escaping @Sendable (any Error) -> any Error,
        onEnd: @escaping @Sendable (Completion) -> Void
    ) {
        tracker = Tracker(chunks, onEnd)
        self.mapError = mapError
    }

    package func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension HTTPResponseStream {
    /// The same response with a body that reports its end.
    /// - Parameters:
    ///   - onEnd: called once, on any thread: before the reader sees the end, or when the body is released.
    ///   - mapError: transforms the error that ends the body.
    package func tracked(
        onEnd: @escaping @Sendable (TrackedResponseBody.Completion) -> Void = { _ in },
        mapError: @escaping @Sendable (any Error) -> any Error = { $0 }
    ) -> HTTPResponseStream {
        HTTPResponseStream(head: head, body: TrackedResponseBody(body, mapError: mapError, onEnd: onEnd))
    }
}
